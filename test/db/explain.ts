import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../app/db/schema.ts'

export type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

const listNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listNodes)]

/** Runs a statement and returns the steps of its plan, the outermost first. */
export const explain = async (db: Db, statement: RawBuilder<unknown>): Promise<PlanNode[]> => {
  const { rows } = await sql<{
    'QUERY PLAN': [{ Plan: PlanNode }]
  }>`explain (analyze, format json) ${statement}`.execute(db)
  return listNodes((rows[0] as (typeof rows)[0])['QUERY PLAN'][0].Plan)
}

export const listScans = (nodes: readonly PlanNode[]): PlanNode[] =>
  nodes.filter((node) => /Scan/.test(node['Node Type']) && (node['Relation Name'] ?? node['Index Name']))

/** Look-ups that a plan repeats for each row of another step. */
export const countLookUps = (nodes: readonly PlanNode[]): number =>
  listScans(nodes).reduce((sum, node) => sum + (node['Actual Loops'] > 1 ? node['Actual Loops'] : 0), 0)

/** Rows that were read, including filtered ones. */
export const rowsRead = (nodes: readonly PlanNode[]): number =>
  listScans(nodes).reduce((sum, node) => {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    return sum + (node['Actual Rows'] + removed) * node['Actual Loops']
  }, 0)

/**
 * Violations of the cost rule in a plan: a scan of a whole table, an index that is not entered by customer, and too many
 * rows. `bound`: `undefined` if all rows of the customer may be read.
 */
export const listPlanFaults = (
  label: string,
  nodes: readonly PlanNode[],
  bound: number | undefined,
): string[] => {
  const faults: string[] = []
  for (const node of nodes) {
    const relation = node['Relation Name'] ?? ''
    if (node['Node Type'] === 'Seq Scan' && relation !== 'countries')
      faults.push(`${label}: scans ${relation}`)
    const isLookup = node['Index Name'] !== undefined && !node['Index Name'].startsWith('countries')
    if (isLookup && !/customer_id = /.test(node['Index Cond'] ?? '')) {
      faults.push(`${label}: ${node['Index Name']} is not entered by customer`)
    }
  }
  const read = rowsRead(nodes)
  if (bound !== undefined && read > bound)
    faults.push(`${label}: reads ${read} rows, at most ${bound} expected`)
  return faults
}
