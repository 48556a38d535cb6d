import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'

/** The service, PostgreSQL and Redis share the first core; the clients have the second one to themselves. */
export const serviceCore = 0
export const clientCore = 1

/**
 * Moves this process with all its threads to a core; what it starts from then on runs there, too.
 * @throws where there are fewer than two cores or no `taskset` (util-linux)
 */
export const moveTo = (core: number): void => {
  if (cpus().length < 2) throw new Error('The check needs two cores: one is for the clients')
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', String(core), String(process.pid)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
