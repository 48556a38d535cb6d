import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { checkDocument } from '../../../app/features/custom/check.ts'
import { readText } from '../../../app/features/custom/read.ts'
import { type Applied, applyDocument, setGrant } from '../../../app/features/custom/store.ts'
import type { Get, TestDatabase } from '../../helper.ts'

export const createStage = ({ operator }: TestDatabase) => {
  const apply = async (text: string): Promise<Applied> => {
    const document = readText(text)
    const { name, revision } = checkDocument(document)
    const stored = { name, revision, text: JSON.stringify(document) }
    return operator.transaction().execute((trx) => applyDocument(trx, stored))
  }
  return {
    apply,
    grant: (name: string, customer: string, granted = true) => setGrant(operator, name, customer, granted),
    async give(customer: string, text: string) {
      await apply(text)
      await setGrant(operator, checkDocument(readText(text)).name, customer, true)
    },
    run: async <Row>(text: string): Promise<Row[]> => (await sql.raw<Row>(text).execute(operator)).rows,
  }
}

/** Today plus `days`, as YYYY-MM-DD (UTC). */
export const day = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Follows the pages of a list to the end. */
export const walk = async <Row = Record<string, unknown>>(get: Get, path: string) => {
  const rows: Row[] = []
  let pages = 0
  for (let next: string | undefined = path; next !== undefined; pages++) {
    const answer = await get(next)
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`)
    const { data, page } = answer.json()
    rows.push(...data)
    const [, link] = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link)) ?? []
    if ((page.next_cursor === null) !== (link === undefined)) throw new Error('link and cursor differ')
    next = link?.slice(new URL(link).origin.length)
  }
  return { rows, pages }
}

/** Sends no `cache-control`, so the response may be a cached one. */
export const askCached = (app: FastifyInstance, token: string, url: string) =>
  app.inject({ url, headers: { authorization: `Bearer ${token}` } })
