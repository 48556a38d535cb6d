import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'

/** The service, PostgreSQL and Redis share the first core. The clients use the second one. */
export const serviceCore = 0
export const clientCore = 1

/**
 * Moves this process with all its threads and future children to a core.
 * @throws if there are fewer than two cores, or if `taskset` (util-linux) is not installed
 */
export const moveTo = (core: number): void => {
  if (cpus().length < 2) throw new Error('The check needs two cores: one is for the clients')
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', String(core), String(process.pid)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
