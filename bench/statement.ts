import pg from 'pg'
import { createDb, readerRole } from '../app/db/connect.ts'
import { parsePairs } from '../app/http/pairs.ts'
import { parseQuery } from '../app/records/query/parse.ts'
import { planQuery } from '../app/records/query/plan.ts'
import { resources } from '../app/records/resources/index.ts'
import { pageStatement } from '../app/records/sql/statement.ts'
import type { Reading } from './reference.ts'

/** As many as the service has. */
const connections = 10

const replaced = (text: string, from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`The service's statement does not contain "${from}"`)
  return text.replaceAll(from, to)
}

/** Removes the extra row that shows whether there is a next page. */
const toReference = (text: string, limit: number): string =>
  replaced(text, `limit ${limit + 1}`, `limit ${limit}`)

/**
 * Returns the service's statement for a page of certificates, with its parameters and role, as a plain server
 * would send it. `query` ends with the value that differs between requests. `body` is the service's answer to
 * it.
 */
export const readReading = async (
  url: string,
  customerId: string,
  query: string,
  body: Buffer,
): Promise<Reading> => {
  const parsed = parseQuery(resources.certificates, 'page', parsePairs(query))
  if (!('query' in parsed)) throw new Error(`${query} is refused`)
  const plan = planQuery(parsed.query, { customerId, today: new Date().toISOString().slice(0, 10) })
  const unused = createDb(new pg.Pool({ connectionString: url }))
  const { sql, parameters } = pageStatement(plan).compile(unused)
  await unused.destroy()
  const numbered = parameters.indexOf(query.slice(query.lastIndexOf('=') + 1))
  const [head, tail] = ['{"data":', `,"page":${body.toString().split(',"page":')[1]}`]
  const pool = { connectionString: url, max: connections, options: `-c role=${readerRole}` }
  return { pool, text: toReference(sql, plan.limit), values: [...parameters], numbered, head, tail }
}
