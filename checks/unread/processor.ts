import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Linux counts processor time in ticks of 10 ms. */
const tickMs = 10
const lookMs = 1_000
/** A process that answers no burst of requests uses less in a second. */
const quietMs = 200
const patienceMs = 60_000

const readOneMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  // The fields after the name: 11 others, then user and system time.
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** Reads the processor time of a process and its workers, in milliseconds. */
export const readProcessorMs = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return [pid, ...children.map(Number)]
    .filter((each) => each > 0)
    .reduce((sum, each) => sum + readOneMs(each), 0)
}

/** Resolves when the service has answered a burst of requests, or after a minute. */
export const untilQuiet = async (pid: number): Promise<void> => {
  const deadline = performance.now() + patienceMs
  let before = readProcessorMs(pid)
  for (;;) {
    await delay(lookMs)
    const now = readProcessorMs(pid)
    if (now - before < quietMs || performance.now() > deadline) return
    before = now
  }
}
