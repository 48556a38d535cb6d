import pg from 'pg'
import { until } from '../../test/helper.ts'
import { startPostgres } from './postgres.ts'
import { send } from './readers.ts'
import { openStage, type Stage } from './stage.ts'
import { productId, valueText } from './world.ts'

/** Answers of an instance after the fail-over. `phantoms`: answers with data that only the old primary had. */
type Shown = { answers: number; phantoms: number }
/** `sound` is a correct instance. `faulty` has the fault that it reads any standby. */
export type Outcome = { sound: Shown; faulty: Shown }

const customer = 'alpha'
const id = productId(customer, 0)
/** Written on the old primary only. */
const lost = valueText(customer, 999_999)
/** Many more than the service writes before it notices the new primary. */
const lostTransactions = 50
/** Transactions of the new primary: more than were lost, so that their numbers are reused. */
const newTransactions = 200
const questions = 60

const selectModel = `select model from products where customer_id = $1 and id = $2`

/** An uncached request: each `limit` is another page. Even limits go to the first instance. */
const ask = async ({ instances, getToken }: Stage, limit: number, headers: Record<string, string> = {}) => {
  const instance = instances[limit % instances.length] as Stage['instances'][number]
  const url = `/v1/products?id=${id}&limit=${limit}`
  return send('GET', instance.port, url, { authorization: `Bearer ${getToken(customer)}`, ...headers })
}

const write = ({ operator }: Stage, model: string) =>
  operator.query('update products set model = $3 where customer_id = $1 and id = $2', [customer, id, model])

const noCache = { 'cache-control': 'no-cache' }

/**
 * The primary crashes and another server replaces it. The standby had received more than that server, and
 * keeps it. The new primary then reuses the lost transactions' numbers.
 */
export const askOnOtherTimeline = async (): Promise<Outcome> => {
  const closing: (() => Promise<unknown>)[] = []
  try {
    const postgres = await startPostgres()
    closing.push(postgres.stop)
    const standby = await postgres.createStandby()
    closing.push(standby.stop)
    const stage = await openStage({
      postgres,
      standby,
      withoutRedis: true,
      fault: 'foreign-standby',
      isFaultOfOne: true,
    })
    closing.push(stage.close)
    const { operator } = stage
    const takeOver = await postgres.keepCopy()
    await until('the primary answers', async () => (await ask(stage, 1, noCache)).status === 200)
    for (let count = 0; count < lostTransactions; count += 1)
      await write(stage, valueText(customer, count + 1))
    await write(stage, lost)
    await until('the standby has what will be lost', async () => {
      const client = new pg.Client({ connectionString: stage.standbyUrl })
      await client.connect()
      const { rows } = await client.query(selectModel, [customer, id])
      await client.end()
      return rows[0]?.model === lost
    })
    await postgres.crash()
    await takeOver()
    const meet = async () => {
      for (const limit of [4, 5]) {
        await until('the new primary is known', async () => (await ask(stage, limit, noCache)).status === 200)
      }
    }
    // Before the new transactions: polls that begin after them would find the standby too old.
    await meet()
    for (let count = 0; count < newTransactions; count += 1) {
      await operator.query('select pg_current_xact_id()')
    }
    await meet()
    const outcome = { sound: { answers: 0, phantoms: 0 }, faulty: { answers: 0, phantoms: 0 } }
    for (let limit = 10; limit < 10 + questions; limit += 1) {
      const { status, body } = await ask(stage, limit)
      if (status !== 200) continue
      const shown = limit % 2 === 0 ? outcome.sound : outcome.faulty
      shown.answers += 1
      if (body.includes(lost)) shown.phantoms += 1
    }
    return outcome
  } finally {
    for (const close of closing.reverse()) await close()
  }
}
