import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listProjectFiles, runInCopy } from '../copy.ts'
import { forEachInJobs } from './tests.ts'

/**
 * The result of a test depends on the files that it reads, on the folders that it lists, and on its database, which it
 * creates from files. So a test that reads no changed file needs not run again.
 */
export type Trace = Readonly<{
  files: readonly string[]
  /** Patterns by which it listed the files of a folder. */
  listings: readonly (readonly [folder: string, patterns: readonly string[]])[]
  /** The reason why it may read further files. */
  incomplete?: string
}>

/** The files that differ between the project and a copy. `removed` are not in the copy. */
export type Difference = Readonly<{ removed: readonly string[]; edited: readonly string[] }>

const root = join(import.meta.dirname, '../..')
/** Of a test that fails. */
const unknownTrace: Trace = { files: [], listings: [], incomplete: 'it fails' }

/** Runs each test file here, each on another PostgreSQL, so that each creates its database from the SQL. */
export const traceTests = async (tests: readonly string[]): Promise<Map<string, Trace>> => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-traces-'))
  const traces = new Map<string, Trace>()
  try {
    await forEachInJobs([...tests.entries()], async ([index, test], job) => {
      const file = join(folder, `${index}.json`)
      const env = {
        TEST_POSTGRES_KEY: `trace-${process.pid}-${index}`,
        TAP_JOB_ID: String(job),
        TRACE_FILE: file,
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
      }
      const passes = await runInCopy(root, ['--require', './checks/features/trace.cjs', test], env)
      traces.set(test, passes ? JSON.parse(readFileSync(file, 'utf8')) : unknownTrace)
    })
    return traces
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const listDifference = (copy: string): Difference => {
  const removed: string[] = []
  const edited: string[] = []
  for (const path of listProjectFiles()) {
    if (!existsSync(join(copy, path))) removed.push(path)
    else if (!readFileSync(join(copy, path)).equals(readFileSync(join(root, path)))) edited.push(path)
  }
  return { removed, edited }
}

const list = (root: string, folder: string, patterns: readonly string[]): string =>
  globSync(patterns, { cwd: join(root, folder) })
    .sort()
    .join('\n')

/** Whether the result of a traced test may differ in the copy. */
export const isReached = (
  { files, listings, incomplete }: Trace,
  copy: string,
  { removed, edited }: Difference,
): boolean =>
  incomplete !== undefined ||
  [...removed, ...edited].some((path) => files.includes(path)) ||
  // A test may also check whether a folder exists.
  removed.some((path) =>
    files.some((file) => path.startsWith(`${file}/`) && !existsSync(join(copy, file))),
  ) ||
  listings.some(([folder, patterns]) => list(root, folder, patterns) !== list(copy, folder, patterns))
