import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Instance } from './instances.ts'
import type { Read, Seen } from './log.ts'
import { type Answer, send } from './readers.ts'
import type { Stage } from './stage.ts'
import {
  certificateId,
  customers,
  numbers,
  productCount,
  productId,
  recordNames,
  views,
  windowCounter,
} from './world.ts'

/** Two of each customer. */
const mirrorsPerCustomer = 2
const pollEveryMs = 300
const pageLimit = 500

type Fields = { model?: unknown; title?: unknown; scheme?: unknown; expiring?: unknown }
type Change = { op: 'upsert' | 'delete'; resource: string; id: string; data: Fields | null }
type Page = { data: Change[]; page: { has_more: boolean; next_token: string } }

export type Mirrors = {
  /** One for each poll that ends a page without more: all records of the mirror. */
  reads: readonly Read[]
  /** Polls until the returned function is called. */
  start(): () => Promise<void>
  /** Reads everything that is committed. Returns what each mirror shows then. */
  finish(): Promise<readonly { name: string; seen: readonly Seen[] }[]>
  /** Number of 410. */
  readonly restarts: number
}

const toSeen = (records: ReadonlyMap<string, Fields>, id: string, value: keyof Fields): Seen => {
  const fields = records.get(id)
  if (!fields) return { record: id, missingFrom: views.all }
  return { record: id, counter: Number(String(fields[value]).split('#')[1]) }
}

const createMirror = (name: string, customer: string, stage: Stage, reads: Read[]) => {
  const { instances, getToken } = stage
  const records = new Map<string, Fields>()
  let token: string | undefined
  let restarts = 0

  const pickInstance = () => instances[Math.floor(Math.random() * instances.length)] as Instance
  const apply = ({ op, id, data }: Change): void => {
    if (op === 'delete') records.delete(id)
    else records.set(id, data as Fields)
  }
  const listSeen = (): Seen[] =>
    numbers(productCount).flatMap((index) => [
      toSeen(records, productId(customer, index), 'model'),
      toSeen(records, certificateId(customer, index), 'title'),
    ])
  const seeWindow = (): Seen => {
    const all = [...records.values()].filter(({ scheme, expiring }) => scheme === 'window' && expiring)
    return { record: recordNames.window(customer), counter: windowCounter(all.length) }
  }

  const ask = async (query: string, headers: Record<string, string>, bearer: string) => {
    const sentAt = performance.now()
    const url = `/v1/changes?resources=certificates,products&${query}`
    const answer = await send('GET', pickInstance().port, url, {
      authorization: `Bearer ${bearer}`,
      ...headers,
    })
    return { ...answer, sentAt, receivedAt: performance.now() }
  }
  type Asked = Awaited<ReturnType<typeof ask>>

  const note = (
    { status, sentAt, receivedAt, headers, body }: Asked,
    noCache: boolean,
    bearer: string,
  ): void => {
    const common = {
      instance: name,
      customer,
      url: '/v1/changes',
      token: bearer,
      noCache,
      sentAt,
      receivedAt,
      status,
      foreign: [],
      isStale: false,
    }
    if (status !== 200) {
      reads.push({ ...common, seen: [], ...(status >= 500 ? { problem: body.toString() } : {}) })
      return
    }
    reads.push({ ...common, seen: listSeen(), asOf: Date.parse(String(headers['data-as-of'])) })
    // The window is read before the changes, so a newer one may be committed before the time of the answer.
    reads.push({ ...common, seen: [seeWindow()] })
  }

  const takeState = ({ status, headers, body }: Answer): void => {
    if (status !== 200) return
    records.clear()
    for (const line of body.toString().split('\n')) if (line !== '') apply(JSON.parse(line) as Change)
    token = String(headers['sync-token'])
  }

  /** Returns whether there may be more. */
  const poll = async (noCache: boolean): Promise<boolean> => {
    const bearer = getToken(customer)
    if (token === undefined) {
      takeState(await ask('after=snapshot', { accept: 'application/x-ndjson' }, bearer))
      return true
    }
    const headers: Record<string, string> = noCache ? { 'cache-control': 'no-cache' } : {}
    const asked = await ask(`after=${token}&limit=${pageLimit}`, headers, bearer)
    if (asked.status === 410) {
      token = undefined
      restarts += 1
      return true
    }
    if (asked.status !== 200) {
      note(asked, noCache, bearer)
      return false
    }
    const { data, page } = JSON.parse(asked.body.toString()) as Page
    for (const change of data) apply(change)
    token = page.next_token
    if (!page.has_more) note(asked, noCache, bearer)
    return page.has_more
  }

  return {
    name,
    poll,
    listAll: () => [...listSeen(), seeWindow()],
    getRestarts: () => restarts,
  }
}

/** Creates followers of the change feed. Each poll asks any instance. */
export const createMirrors = (stage: Stage): Mirrors => {
  const reads: Read[] = []
  const mirrors = customers.flatMap((customer) =>
    numbers(mirrorsPerCustomer).map((index) =>
      createMirror(`mirror ${customer} ${index}`, customer, stage, reads),
    ),
  )
  return {
    reads,
    start() {
      let isStopped = false
      const follow = async ({ poll }: (typeof mirrors)[number]) => {
        while (!isStopped) {
          if (!(await poll(false))) await delay(pollEveryMs * (0.5 + Math.random()))
        }
      }
      const all = mirrors.map(follow)
      return async () => {
        isStopped = true
        await Promise.all(all)
      }
    },
    async finish() {
      for (const { poll } of mirrors) while (await poll(true));
      return mirrors.map(({ name, listAll }) => ({ name, seen: listAll() }))
    },
    get restarts() {
      return mirrors.reduce((total, { getRestarts }) => total + getRestarts(), 0)
    },
  }
}
