import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Which core does what. */
export type Cores = { service: number; clients: number }

const listCores = (list: string): number[] =>
  list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, n) => first + n)
  })

/** Those that this process may run on; none where the system does not tell. */
const allowedCores = (): number[] => {
  try {
    const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return list === '' ? [] : listCores(list)
  } catch {
    return []
  }
}

/** Runs a program of util-linux; throws with what it said. */
const run = (program: string, options: readonly string[]): void => {
  execFileSync(program, options, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/**
 * One core for the service and all that it needs, and one for whoever asks: what the clients take is then nobody's.
 * @throws where there are fewer than two cores, or no `taskset` (util-linux): nothing can be judged there
 */
export const findCores = (): Cores => {
  const [service, clients] = allowedCores()
  if (service === undefined || clients === undefined)
    throw new Error('two cores are needed, one for the service and one for its clients')
  try {
    run('taskset', ['--version'])
  } catch {
    throw new Error('taskset (util-linux) is needed to keep the clients off the core of the service')
  }
  return { service, clients }
}

/** Moves this process with all its threads; what it starts from then on begins there, too. */
export const moveTo = (core: number): void =>
  run('taskset', ['--all-tasks', '--pid', '--cpu-list', String(core), String(process.pid)])

/** From now on a process runs when nobody else wants its core (SCHED_IDLE): it does not get in others' way there. */
export const giveWay = (pid: number): void =>
  run('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)])

/** Who runs where, as a line for those who read the figures. */
export const placementOf = ({ service, clients }: Cores, hasRedis: boolean): string =>
  `Placement: core ${clients} has the clients alone; core ${service} has the service, PostgreSQL` +
  (hasRedis ? ' and Redis' : '; no redis-server here, so without Redis')

const lowest = '19'
/** Ends when the process that it is told has, however that ended. */
const spinner = `const spin = () => {
    for (const end = Date.now() + 100; Date.now() < end; );
    if (process.ppid === Number(process.argv[1])) setImmediate(spin)
  }
  spin()`

/**
 * Keeps a core busy with nothing while nobody else wants it. A virtual machine gives a core back when it has nothing to
 * do, and waits for it again with each request: that is the machine's time, not the service's. Ends with the check.
 */
export const keepAwake = (core: number): (() => void) => {
  const spin = ['chrt', '--idle', '0', process.execPath, '-e', spinner, String(process.pid)]
  const child = spawn('taskset', ['--cpu-list', String(core), ...spin], { detached: true, stdio: 'ignore' })
  const session = `/proc/${child.pid}/autogroup`
  if (existsSync(session)) writeFileSync(session, lowest)
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  return kill
}
