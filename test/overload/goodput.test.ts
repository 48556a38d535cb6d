import t from 'tap'
import { createEarlyRepeats } from '../../app/overload/early-repeats.ts'
import { createQueue } from '../../app/overload/queue.ts'

/** Milliseconds of the event loop for each kind of work, in the proportions of a measurement. */
const costs = { arrival: 0.1, answer: 1, refusal: 0.08 }
/** A read takes this long in the database, which has a connection for each turn. */
const databaseMs = 5
const turns = 10
const owners = 16
const seconds = 6

const promisesRun = () => new Promise<void>((resolve) => setImmediate(resolve))

type Due = { atMs: number; costMs: number; call: () => void }

/** An event loop with a clock of its own: an event waits for the work of the events before it. */
const createLoop = () => {
  let nowMs = 0
  let due: Due[] = []
  const at = (ms: number, costMs: number, call: () => void) => {
    const event = { atMs: nowMs + ms, costMs, call }
    due.push(event)
    return () => {
      event.call = () => {}
      event.costMs = 0
    }
  }
  return {
    at,
    now: () => nowMs,
    spend(ms: number): void {
      nowMs += ms
    },
    async runTo(endMs: number): Promise<void> {
      while (nowMs < endMs) {
        const ready = due.filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs)
        due = due.filter(({ atMs }) => atMs > nowMs)
        if (ready.length === 0) nowMs = Math.min(endMs, ...due.map(({ atMs }) => atMs))
        for (const { costMs, call } of ready) {
          nowMs += costMs
          call()
        }
        await promisesRun()
      }
    },
  }
}

/** Counts answers to clients that send one request at a time, and the next one as soon as they have an outcome. */
const countAnswers = async (clients: number) => {
  const loop = createLoop()
  const { at, now } = loop
  const after = (ms: number, call: () => void) => at(ms, 0, call)
  const queue = createQueue({ turns, longestWaitMs: 1_000, after })
  const holdEarlyRepeat = createEarlyRepeats({ now, after })
  const counts = { answered: 0, refused: 0 }
  const read = () => new Promise<void>((resolve) => at(databaseMs, costs.answer, resolve))
  const send = (client: object, number: number): void => {
    const arrivedMs = now()
    const again = () => void at(0, costs.arrival, () => send(client, number))
    const refuse = () => {
      counts.refused += 1
      loop.spend(costs.refusal)
      again()
    }
    queue.run(`customer ${number % owners}`, read).then(
      () => {
        counts.answered += 1
        again()
      },
      () => holdEarlyRepeat(client, arrivedMs, refuse),
    )
  }
  for (let number = 0; number < clients; number += 1) at(0, costs.arrival, () => send({}, number))
  await loop.runTo(seconds * 1_000)
  return counts
}

t.test('the answers each second do not fall when clients repeat refused requests immediately', async (t) => {
  const most = await countAnswers(64)
  t.equal(most.refused, 0)
  for (const clients of [200, 600, 2_000]) {
    const { answered, refused } = await countAnswers(clients)
    t.ok(answered >= 0.8 * most.answered, `${clients}: ${answered} of ${most.answered}, ${refused} refused`)
  }
})
