import { readFileSync } from 'node:fs'
import type pg from 'pg'
import type { NamedStatement } from '../../app/db/connect.ts'

const times = 3
/** A statement that takes longer is not repeated. */
const longMs = 2_000

/** `ms`: processor time of the backend, the least of three executions. `rows`: read, also by repeated look-ups. */
export type Cost = { ms: number; planningMs: number; rows: number; lookUps: number; indexes: string[] }

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

const listNodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(listNodes)]

const countRows = (node: Node): number => {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (node['Actual Rows'] + removed) * node['Actual Loops']
}

/** Returns the processor time of a process in milliseconds, from the scheduler (`/proc/<pid>/schedstat`). */
const readCpuMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** Runs a statement on this client, whose server must be on this machine. */
export const measure = async (client: pg.Client, { text, values }: NamedStatement): Promise<Cost> => {
  const { rows: pids } = await client.query('select pg_backend_pid() as pid')
  let ms = Number.POSITIVE_INFINITY
  for (let i = 0; i < times && (i === 0 || ms < longMs); i++) {
    const before = readCpuMs(pids[0].pid)
    await client.query(text, values)
    ms = Math.min(ms, readCpuMs(pids[0].pid) - before)
  }
  const explained = await client.query(`explain (analyze, timing off, format json) ${text}`, values)
  const plan = explained.rows[0]['QUERY PLAN'][0]
  const scans = listNodes(plan.Plan).filter(
    (node) => /Scan/.test(node['Node Type']) && (node['Relation Name'] ?? node['Index Name']),
  )
  const executed = scans.filter((node) => node['Actual Loops'] > 0)
  const repeated = executed.filter((node) => node['Actual Loops'] > 1)
  return {
    ms,
    planningMs: plan['Planning Time'],
    rows: executed.reduce((sum, node) => sum + countRows(node), 0),
    lookUps: repeated.reduce((sum, node) => sum + node['Actual Loops'], 0),
    indexes: [...new Set(executed.map((node) => node['Index Name'] ?? `all ${node['Relation Name']}`))],
  }
}
