import type pg from 'pg'
import type { Seen } from './log.ts'
import { parseText, type Readers } from './readers.ts'
import type { Stage } from './stage.ts'
import { type Parsed, recordNames, type Target, views } from './world.ts'

type Truth = Map<string, { counter: number; views: readonly string[] }>

const always = [views.all, views.active]
const getCounter = (value: string) => Number(value.split('#')[1])

/** Reads the tables directly, without the service. */
const readTruth = async (operator: pg.Pool): Promise<Truth> => {
  const truth: Truth = new Map()
  const products = await operator.query('select id, model, product_status as status from products')
  for (const { id, model, status } of products.rows) {
    truth.set(id, { counter: getCounter(model), views: status === 'active' ? always : [views.all] })
  }
  const certificates = await operator.query(`select id, title from certificates where scheme = 'main'`)
  for (const { id, title } of certificates.rows) truth.set(id, { counter: getCounter(title), views: always })
  const granted = await operator.query(
    `select customer_id, country_code, count(*)::integer as granted from approvals group by 1, 2`,
  )
  for (const { customer_id, country_code, granted: counter } of granted.rows) {
    truth.set(recordNames.granted(customer_id, country_code), { counter, views: always })
  }
  const windows = await operator.query('select customer_id, expiring_within as days from customers')
  for (const { customer_id, days } of windows.rows) {
    truth.set(recordNames.window(customer_id), { counter: days - 1, views: always })
  }
  return truth
}

const agrees = (truth: Truth, seen: Seen): boolean => {
  const known = truth.get(seen.record)
  if ('missingFrom' in seen) return !known?.views.includes(seen.missingFrom)
  // Without a row there are no granted approvals.
  return (known?.counter ?? 0) === seen.counter
}

const parseAnswer = (target: Target, status: number, body: Buffer): Parsed => {
  if (status === 404) return target.parse(undefined)
  return status === 200 ? parseText(target, body) : { seen: [], foreign: [`status ${status}`] }
}

/** Lists the records that the mirrors show otherwise than the tables. */
export const listMirrorDifferences = async (
  { operator }: Stage,
  shown: readonly { name: string; seen: readonly Seen[] }[],
): Promise<string[]> => {
  const truth = await readTruth(operator)
  return shown.flatMap(({ name, seen }) => {
    const wrong = seen.filter((each) => !agrees(truth, each)).map(({ record }) => record)
    return wrong.length > 0 ? [`${name}: ${wrong.join(', ')}`] : []
  })
}

/** Counts keys for which a cached or uncached answer differs from the tables, for every instance and address. */
export const countDifferences = async (
  { operator, instances, getToken }: Stage,
  readers: Readers,
  targets: readonly Target[],
): Promise<string[]> => {
  const truth = await readTruth(operator)
  const differing: string[] = []
  for (const instance of instances) {
    for (const target of targets) {
      const asker = { instance, token: getToken(target.customer) }
      const { status, body } = await readers.ask(target, asker, { plain: true })
      const { seen, foreign } = parseAnswer(target, status, body)
      const wrong = seen.filter((each) => !agrees(truth, each)).map(({ record }) => record)
      if (wrong.length + foreign.length > 0) {
        differing.push(`${instance.id} ${target.url}: ${[...wrong, ...foreign].join(', ')}`)
      }
    }
  }
  return differing
}
