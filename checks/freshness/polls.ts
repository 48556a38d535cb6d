import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../test/helper.ts'
import type { EditedFault } from './edits.ts'
import { nemeses } from './nemesis.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { send } from './readers.ts'
import { openStage, type Stage } from './stage.ts'
import { certificateId, productId } from './world.ts'

/**
 * Polls of the change feed that the fence must not answer. Each begins with a token that it does answer, and then
 * the database must be read: for a change that is 600 ms old, a new window, a new day, and a lost history.
 */

const customer = 'alpha'
/** Contract: from then on, every answer shows a commit. */
const promisedMs = 600
/** Longer than the lease of the last poll. */
const lapsedMs = 800

type Page = { data: unknown[]; page: { next_token: string; has_more: boolean } }
type Answer = { status: number; page: Page }

const get = async ({ instances, getToken }: Stage, url: string, noCache = false): Promise<Answer> => {
  const headers = {
    authorization: `Bearer ${getToken(customer)}`,
    ...(noCache ? { 'cache-control': 'no-cache' } : {}),
  }
  const { status, body } = await send('GET', instances[0]?.port ?? 0, url, headers)
  return { status, page: status === 0 ? undefined : JSON.parse(body.toString()) }
}

const begin = async (stage: Stage, resources: string): Promise<string> =>
  (await get(stage, `/v1/changes?resources=${resources}`)).page.page.next_token

const poll = (stage: Stage, token: string) => get(stage, `/v1/changes?after=${token}`)

/** Whether the token is kept, which only an answer of the fence does. */
const isFromFence = async (stage: Stage, token: string): Promise<boolean> => {
  const { status, page } = await poll(stage, token)
  return status === 200 && page.data.length === 0 && page.page.next_token === token
}

/** Returns a token that the fence answers. */
const beginKnown = async (stage: Stage, resources: string): Promise<string> => {
  const token = await begin(stage, resources)
  await until('the fence answers', () => isFromFence(stage, token))
  return token
}

/** Empty and complete: the answer denies any change. */
const denies = ({ status, page }: Answer): boolean =>
  status === 200 && page.data.length === 0 && !page.page.has_more

type Question = Readonly<{
  about: string
  resources: string
  /** Leads to changes that the next poll must have. */
  act: (stage: Stage) => Promise<unknown>
  undo?: (stage: Stage) => Promise<unknown>
}>

const writeProduct = ({ operator }: Stage) =>
  operator.query(`update products set name = name || '.' where customer_id = $1 and id = $2`, [
    customer,
    productId(customer, 0),
  ])
const writeCertificate = ({ operator }: Stage) =>
  operator.query(`update certificates set title = title || '.' where customer_id = $1 and id = $2`, [
    customer,
    certificateId(customer, 0),
  ])

const questions: readonly Question[] = [
  { about: 'the first resource', resources: 'certificates,products', act: writeCertificate },
  { about: 'the second resource', resources: 'certificates,products', act: writeProduct },
  {
    about: 'the window',
    resources: 'certificates',
    act: ({ operator }) =>
      operator.query('update customers set expiring_within = expiring_within + 9 where customer_id = $1', [
        customer,
      ]),
  },
  {
    about: 'the day',
    resources: 'certificates',
    act: async ({ instances }) => instances[0]?.shiftDay(1),
    undo: async ({ instances }) => instances[0]?.shiftDay(0),
  },
  {
    about: 'the lease',
    resources: 'products',
    async act(stage) {
      await nemeses.pollsUnanswered.start(stage.victims)
      await delay(lapsedMs)
      await writeProduct(stage)
    },
    undo: ({ victims }) => nemeses.pollsUnanswered.stop(victims),
  },
  {
    about: 'the floor',
    resources: 'products',
    async act(stage) {
      const [instance] = stage.instances
      await instance?.kill()
      await writeProduct(stage)
      await instance?.restart()
    },
  },
]

/** Without this wait, the lease would have ended again. */
const isImmediate = ({ about }: Question) => about === 'the lease'

const ask = async (stage: Stage, question: Question): Promise<boolean> => {
  const token = await beginKnown(stage, question.resources)
  try {
    await question.act(stage)
    if (!isImmediate(question)) await delay(promisedMs)
    return denies(await poll(stage, token))
  } finally {
    await question.undo?.(stage)
  }
}

/** Writes that a restore loses, and more of them than the service needs until it has polled the restored server. */
const lostTransactions = 50
const newTransactions = 200

/** Whether a token of a lost history is told that nothing has changed, after the restore of the server's files. */
const askLost = async (fault: EditedFault | undefined): Promise<boolean> => {
  const postgres = await startPostgres()
  try {
    const stage = await openStage({ postgres, fault, withoutRedis: true, withoutProxies: true })
    try {
      const { operator } = stage
      const awaitPolls = () =>
        until('the server is polled', async () => (await get(stage, '/v1/products', true)).status === 200)
      const awaitWrite = () =>
        until('the server takes writes', () =>
          writeProduct(stage).then(
            () => true,
            () => false,
          ),
        )
      const restore = await postgres.keepBackup()
      await awaitPolls()
      await awaitWrite()
      for (let count = 0; count < lostTransactions; count += 1) await writeProduct(stage)
      const token = await beginKnown(stage, 'products')
      await postgres.crash()
      await restore()
      await awaitPolls()
      await awaitWrite()
      for (let count = 0; count < newTransactions; count += 1)
        await operator.query('select pg_current_xact_id()')
      await delay(promisedMs)
      return denies(await poll(stage, token))
    } finally {
      await stage.close()
    }
  } finally {
    await postgres.stop()
  }
}

/** Returns the subjects about which the fence has denied a change. Empty without a fault. */
export const findDenials = async (
  postgres: PostgresServer,
  fault?: EditedFault,
): Promise<readonly string[]> => {
  const denied: string[] = []
  const stage = await openStage({ postgres, fault, withoutRedis: true, withoutProxies: true })
  try {
    for (const question of questions) if (await ask(stage, question)) denied.push(question.about)
  } finally {
    await stage.close()
  }
  if (await askLost(fault)) denied.push('a lost history')
  return denied
}
