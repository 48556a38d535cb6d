import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { NetConnectOpts } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Distance, openDistance, type Passage } from './proxy.ts'

/** A distance in a separate process, whose delays stay exact while this process is busy. */
export type DistanceAside = {
  readonly port: number
  setOneWayMs(ms: number): Promise<void>
  passages(): Promise<readonly Passage[]>
  close(): Promise<void>
}

type Order = { to: NetConnectOpts; oneWayMs: number }
type State = { port: number; passages: readonly Passage[] }

const runAsProcess = async ({ to, oneWayMs }: Order): Promise<void> => {
  const distance: Distance = await openDistance(to, oneWayMs)
  const tell = () => process.send?.({ port: distance.port, passages: distance.passages } satisfies State)
  process.on('message', ({ oneWayMs: ms }: Partial<Order>) => {
    if (ms !== undefined) distance.oneWayMs = ms
    tell()
  })
  tell()
}

export const openDistanceAside = async (to: NetConnectOpts, oneWayMs: number): Promise<DistanceAside> => {
  const child = fork(fileURLToPath(import.meta.url))
  const ask = async (order: Partial<Order>): Promise<State> => {
    const answered = once(child, 'message')
    child.send(order)
    return (await answered)[0]
  }
  const { port } = await ask({ to, oneWayMs })
  return {
    port,
    setOneWayMs: async (ms) => void (await ask({ oneWayMs: ms })),
    passages: async () => (await ask({})).passages,
    async close() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', () => process.exit(0))
  process.once('message', (order: Order) => void runAsProcess(order))
}
