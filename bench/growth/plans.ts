import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { bind, bindSources } from '../../app/custom/bind.ts'
import { checkDocument } from '../../app/custom/check.ts'
import { readText } from '../../app/custom/read.ts'
import { objectStatement } from '../../app/custom/sql/read.ts'
import type { Database } from '../../app/db/schema.ts'
import { parsePairs } from '../../app/http/pairs.ts'
import { parseQuery } from '../../app/records/query/parse.ts'
import { planQuery, type QueryPlan } from '../../app/records/query/plan.ts'
import { resources } from '../../app/records/resources/index.ts'
import { pageStatement } from '../../app/records/sql/statement.ts'

const shipped = join(import.meta.dirname, '../../app/custom/shipped')

export type Statement = { text: string; values: unknown[] }

const today = () => new Date().toISOString().slice(0, 10)

/** Throws if the query is not valid. */
export const getPlan = (customerId: string, query: string, after?: readonly string[]): QueryPlan => {
  const outcome = parseQuery(resources.certificates, 'page', parsePairs(query))
  if ('faults' in outcome) throw new Error(`${query}: ${JSON.stringify(outcome.faults)}`)
  return planQuery(outcome.query, { customerId, today: today() }, after)
}

export const getPage = (
  db: Kysely<Database>,
  customerId: string,
  query: string,
  after?: readonly string[],
): Statement => {
  const { sql: text, parameters } = pageStatement(getPlan(customerId, query, after)).compile(db)
  return { text, values: [...parameters] }
}

export const getDashboard = (db: Kysely<Database>, customerId: string): Statement => {
  const definition = checkDocument(readText(readFileSync(join(shipped, 'dashboard-overview.yaml'), 'utf8')))
  const sources = bindSources(definition, new Map())
  if ('faults' in sources || !('object' in definition.body))
    throw new Error('the definition of the dashboard has changed: update this bench')
  const bound = bind(definition, sources.queries, new Map(), { customerId, today: today() })
  const { sql: text, parameters } = objectStatement(definition.body.object, bound).compile(db)
  return { text, values: [...parameters] }
}

export type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: Node[]
}

/** Cost of an executed plan. `faults`: violations of the contract's cost rule, as sentences. */
export type Cost = {
  rowsRead: number
  blocks: number
  /** Tables read by a full scan. */
  whole: string[]
  faults: string[]
}

const listNodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(listNodes)]

const readBy = (nodes: readonly Node[]) =>
  nodes.reduce((sum, node) => {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
  }, 0)

/**
 * Requires that no table is scanned, that every index condition starts with the customer, and that the number
 * of rows read is bounded. PostgreSQL may scan `small` tables, if that is cheaper than an index. They are
 * reported but not checked.
 */
export const judgePlan = (root: Node, mostRows: number, small: ReadonlySet<string>): Cost => {
  const scans = listNodes(root).filter((node) => node['Relation Name'] || node['Index Name'])
  const isScan = (node: Node) => node['Node Type'] === 'Seq Scan'
  const judged = scans.filter((node) => !(isScan(node) && small.has(node['Relation Name'] ?? '')))
  const whole = new Set(scans.filter(isScan).map((node) => node['Relation Name'] ?? ''))
  const faults = judged.flatMap((node) => [
    ...(isScan(node) ? [`scans ${node['Relation Name']}`] : []),
    ...(node['Index Name'] && !/customer_id = /.test(node['Index Cond'] ?? '')
      ? [`${node['Index Name']} is not entered by the customer`]
      : []),
  ])
  const most = readBy(judged)
  if (most > mostRows) faults.push(`reads ${most} rows, at most ${mostRows} expected`)
  return {
    rowsRead: readBy(scans),
    whole: [...whole],
    blocks: (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0),
    faults: [...new Set(faults)],
  }
}

const literal = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? literal(`{${value.join()}}`)
      : typeof value === 'number'
        ? String(value)
        : `'${String(value).replaceAll("'", "''")}'`

/** Runs it as the serving role. `isGeneric`: planned without values, as a prepared statement may be. */
export const explain = async (
  client: pg.PoolClient,
  { text, values }: Statement,
  isGeneric: boolean,
): Promise<Node> => {
  const form = 'explain (analyze, buffers, format json)'
  if (!isGeneric) {
    // Explains the second execution: the first one also loads the catalogue.
    await client.query(text, values)
    return (await client.query(`${form} ${text}`, values)).rows[0]['QUERY PLAN'][0].Plan
  }
  await client.query('set plan_cache_mode = force_generic_plan')
  await client.query(`prepare growth as ${text}`)
  const given = values.length === 0 ? '' : `(${values.map(literal).join()})`
  const { rows } = await client.query(`${form} execute growth${given}`)
  await client.query('deallocate growth')
  await client.query('reset plan_cache_mode')
  return rows[0]['QUERY PLAN'][0].Plan
}
