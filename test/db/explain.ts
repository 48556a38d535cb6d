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
