import { readFileSync } from 'node:fs'
import os from 'node:os'
import { cpuMs } from './cpu.ts'

const ticksPerSecond = 100
/**
 * Of the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. Interrupts are left out: they
 * belong to no process, and most are those of the measured requests.
 */
const busyFields = [0, 1, 2, 7]

/** Returns the busy and the stolen time of all cores since boot, in milliseconds. 0 on systems without `/proc`. */
const busyMs = (): number => {
  try {
    const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const fields = first.trim().split(/\s+/).slice(1).map(Number)
    const ticks = busyFields.reduce((sum, field) => sum + (fields[field] ?? 0), 0)
    return (ticks * 1000) / ticksPerSecond
  } catch {
    return 0
  }
}

/**
 * The returned function returns the share of all cores, 0 to 1, that other processes and the hypervisor have used since
 * this call. `roots` are the own processes; they and all their descendants count as own.
 */
export const watchNeighbours = (roots: readonly number[]): (() => number) => {
  const own = roots.filter((pid) => !Number.isNaN(pid))
  const read = () => ({ at: performance.now(), foreignMs: busyMs() - cpuMs(...own) })
  const before = read()
  return () => {
    const now = read()
    const spentMs = Math.max(1, now.at - before.at) * os.cpus().length
    return Math.max(0, (now.foreignMs - before.foreignMs) / spentMs)
  }
}
