import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startInTemp } from '../../test/servers.ts'
import { runInCopy } from '../copy.ts'

/** Each job has its own ports: see freePort in test/servers.ts. */
const jobs = Math.min(4, availableParallelism())

/** Calls `run` with each item, and with the number of its job. */
export const forEachInJobs = async <Item>(
  items: readonly Item[],
  run: (item: Item, job: number) => Promise<void>,
): Promise<void> => {
  const left = items[Symbol.iterator]()
  const work = async (job: number) => {
    for (const item of left) await run(item, job)
  }
  await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)))
}

export const listTests = (folder: string): string[] => globSync('test/**/*.test.ts', { cwd: folder }).sort()

/**
 * Runs test files in the copy, on a PostgreSQL that only they use. A file that fails runs once more, alone, as in the gate.
 * Returns the files that failed twice.
 */
export const findFailedTests = async (folder: string, files: readonly string[]): Promise<string[]> => {
  const key = `features-${process.pid}`
  const server = await startInTemp(key)
  const env = { TEST_POSTGRES_KEY: key, NODE_COMPILE_CACHE: join(folder, '../compiled') }
  try {
    const failed: string[] = []
    await forEachInJobs(files, async (file, job) => {
      if (!(await runInCopy(folder, [file], { ...env, TAP_JOB_ID: String(job) }))) failed.push(file)
    })
    const twice: string[] = []
    for (const file of failed) {
      process.stdout.write(`  again, alone: ${file}\n`)
      if (!(await runInCopy(folder, [file], env))) twice.push(file)
    }
    return twice
  } finally {
    await server.release()
  }
}
