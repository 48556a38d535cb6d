import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100
/** Indexes of `/proc/<pid>/stat` after the name, see proc_pid_stat(5). */
const [parent, user, kernel, childrenUser, childrenKernel] = [1, 11, 12, 13, 14]

/** Returns the fields of `/proc/<pid>/stat` after the name. Empty if the process or `/proc` does not exist. */
const getStat = (pid: number | string): number[] => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text
      .slice(text.lastIndexOf(') ') + 2)
      .split(' ')
      .map(Number)
  } catch {
    return []
  }
}

const at = (stat: readonly number[], ...places: number[]): number =>
  places.reduce((sum, place) => sum + (stat[place] ?? 0), 0)

/** Returns the parent process. NaN if unknown. */
export const getParent = (pid: number): number => getStat(pid)[parent] ?? Number.NaN

const listProcesses = (): string[] => {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Adds all descendants. */
const withChildren = (roots: readonly number[]): number[] => {
  const children = new Map<number, number[]>()
  for (const name of listProcesses()) {
    const of = getParent(Number(name))
    children.set(of, [...(children.get(of) ?? []), Number(name)])
  }
  const found = new Set<number>()
  const visit = (pid: number): void => {
    if (found.has(pid)) return
    found.add(pid)
    children.get(pid)?.forEach(visit)
  }
  roots.forEach(visit)
  return [...found]
}

/** Returns the time of the running threads. `undefined` if the system does not count it. */
const threadsMs = (pid: number): number | undefined => {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const times = tasks.map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
    )
    return times.reduce((sum, each) => sum + each, 0) / 1e6
  } catch {
    return undefined
  }
}

/**
 * Returns the processor time, user and kernel, of these processes and all their descendants, in milliseconds.
 * It is exact to nanoseconds if the system has scheduler statistics, else to ticks of 10 ms. Ended children
 * count in ticks. 0 on systems without `/proc`.
 */
export const cpuMs = (...roots: readonly number[]): number =>
  withChildren(roots).reduce((sum, pid) => {
    const stat = getStat(pid)
    const tickMs = 1000 / ticksPerSecond
    const own = threadsMs(pid) ?? at(stat, user, kernel) * tickMs
    return sum + own + at(stat, childrenUser, childrenKernel) * tickMs
  }, 0)

/** Returns the processor time of a process without its children, in milliseconds. 0 if the system does not count it. */
export const ownCpuMs = (pid: number): number => threadsMs(pid) ?? 0

/** Milliseconds in which a process's main thread was ready to run but had no core. 0 if unknown. */
export const waitedMs = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/** Resident memory in MiB. 0 if unknown. */
export const residentMib = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return 0
  }
}
