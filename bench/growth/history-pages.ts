import pg from 'pg'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import { instantText } from '../../app/db/instant.ts'
import { createCursorCodec } from '../../app/lists/cursor.ts'
import { asOfStatement } from '../../app/records/history/as-of.ts'
import { listHistory } from '../../app/records/history/list-statement.ts'
import { recordHistory } from '../../app/records/history/record-statement.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { openAsker, requestText } from '../lib/client.ts'
import type { Rows } from '../lib/findings.ts'
import { startService } from '../lib/processes.ts'
import { createProgress } from '../lib/progress.ts'
import { issueKey, logIn, secretKey } from '../lib/seed.ts'
import { percentile } from '../lib/statistics.ts'
import { explain, getPlan, judgePlan } from './plans.ts'
import { largeCustomer, oftenChanged, type Size } from './sizes.ts'
import { listSmall } from './subjects.ts'

const limit = 50
const oneDayMs = 86_400_000
/** Rows that a page may read: the page, its records, and the first entries of the four other resources. */
const mostRows = 400
/** Number of positions at which pages are requested. */
const places = 200

/** Pages of a service without a cache. The last two read the later changes of each record. */
const measures = {
  record: 'first page of a record',
  asOf: 'a record as of yesterday',
  since: '/v1/history?since=, first page',
  anywhere: '/v1/history, a page anywhere',
  oftenRecord: 'first page of a record with 10,000 changes',
  oftenAsOf: 'this record as of yesterday',
  oftenOldest: '/v1/history, the page of its oldest changes',
} as const
type Measure = keyof typeof measures

/** The last entry of the previous page: instant, resource, id, position. */
type Place = [string, string, string, string]

const listPlaces = async (client: pg.Client, condition: string): Promise<Place[]> => {
  const { rows } = await client.query<Place>({
    text: `select ${instantText('at')}, resource, record_id, position::text from record_history
      where customer_id = '${largeCustomer}' and ${condition} limit ${places}`,
    rowMode: 'array',
  })
  return rows
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T

const openSubject = async ({ url, size }: { url: string; size: Size }) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // Excludes the frequently changed record: it and the records changed in between have the newest entries.
  const anywhere = await listPlaces(
    client,
    `record_id <> '${oftenChanged}' and old is not null order by random()`,
  )
  const oldest = await listPlaces(
    client,
    `record_id = '${oftenChanged}' order by position offset ${limit / 2} limit 1 --`,
  )
  const service = await startService({
    DATABASE_URL: url,
    SECRET_KEY: secretKey,
    CACHE_BYTES: '0',
    LOG_LEVEL: 'warn',
  })
  const small = await listSmall(client)
  const apiKey = await issueKey(client, largeCustomer)
  await client.end()
  const token = await logIn(service.url, { customerId: largeCustomer, apiKey })
  const asker = await openAsker(service.url)
  const codec = createCursorCodec(createSecrets([secretKey]))
  const cursorAt = (place: Place) => codec.encode(largeCustomer, `history? ${resourceNames.join()}`, place)
  const anyRecord = () => `crt-${1 + Math.floor(Math.random() * Math.min(size.certificates, 100_000))}`
  const yesterday = new Date(Date.now() - oneDayMs).toISOString().slice(0, 10)
  const paths: Record<Measure, () => string> = {
    record: () => `/v1/certificates/${anyRecord()}/history`,
    asOf: () => `/v1/certificates/${anyRecord()}?as_of=${yesterday}`,
    since: () => `/v1/history?since=${pick(anywhere)[0]}`,
    anywhere: () => `/v1/history?cursor=${cursorAt(pick(anywhere))}`,
    oftenRecord: () => `/v1/certificates/${oftenChanged}/history`,
    oftenAsOf: () => `/v1/certificates/${oftenChanged}?as_of=${yesterday}`,
    oftenOldest: () => `/v1/history?cursor=${cursorAt(oldest[0] as Place)}`,
  }
  const all = resourceNames.map((name) => resources[name])
  const record = (id: string) =>
    recordHistory({
      customerId: largeCustomer,
      resource: resources.certificates,
      id,
      limit,
      after: undefined,
      day: new Date().toISOString().slice(0, 10),
    })
  const list = (after: Place | undefined, since?: string) =>
    listHistory({ customerId: largeCustomer, resources: all, since, limit, after })
  const asOf = (id: string) => asOfStatement({ ...getPlan(largeCustomer, ''), day: yesterday }, id)
  const statements = {
    record: record('crt-77'),
    asOf: asOf('crt-77'),
    since: list(undefined, pick(anywhere)[0]),
    anywhere: list(pick(anywhere)),
    oftenRecord: record(oftenChanged),
    oftenAsOf: asOf(oftenChanged),
    oftenOldest: list(oldest[0]),
  }
  return {
    label: size.name,
    small,
    statements,
    url,
    async ask(measure: Measure): Promise<number> {
      const request = requestText(paths[measure](), { authorization: `Bearer ${token}` })
      const { status, head, ms } = await asker.ask(request)
      // Some records were deleted.
      if (status !== 200 && !(status === 404 && measure === 'asOf'))
        throw new Error(`${measures[measure]}: ${head}`)
      return ms
    },
    async stop() {
      asker.close()
      await service.stop()
    },
  }
}
type Subject = Awaited<ReturnType<typeof openSubject>>

/** Reference data belong to all customers. */
const isReference = (fault: string) => fault.includes('countries')

const explainAll = async (subject: Subject, plans: Rows): Promise<string[]> => {
  const pool = createPool(subject.url, {
    role: readerRole,
    max: 1,
    applicationName: 'bench',
    onError: () => {},
  })
  const db = createDb(pool)
  const client = await pool.connect()
  const faults: string[] = []
  for (const [measure, statement] of Object.entries(subject.statements)) {
    const name = measures[measure as Measure]
    const { sql: text, parameters } = statement.compile(db)
    const cost = judgePlan(
      await explain(client, { text, values: [...parameters] }, false),
      mostRows,
      subject.small,
    )
    plans[name] = { ...plans[name], [subject.label]: `${cost.rowsRead} rows, ${cost.blocks} blocks` }
    const unexpected = cost.faults.filter((fault) => !isReference(fault))
    faults.push(...unexpected.map((fault) => `${subject.label}: ${name}: ${fault}`))
  }
  client.release()
  await db.destroy()
  return faults
}

/** Requests pages of history from services on these databases in turn, and explains their statements. */
export const measurePages = async (databases: readonly { url: string; size: Size }[], samples: number) => {
  const subjects: Subject[] = []
  const times = new Map<string, number[]>()
  const plans: Rows = {}
  const faults: string[] = []
  const names = Object.keys(measures) as Measure[]
  try {
    for (const database of databases) subjects.push(await openSubject(database))
    for (const subject of subjects) faults.push(...(await explainAll(subject, plans)))
    const warmUps = Math.ceil(samples / 10)
    const progress = createProgress('history: asking', warmUps + samples)
    for (let n = 0; n < warmUps + samples; n++) {
      for (const measure of names) {
        for (const subject of subjects) {
          const ms = await subject.ask(measure)
          const key = `${subject.label} ${measure}`
          if (n >= warmUps) times.set(key, [...(times.get(key) ?? []), ms])
        }
      }
      progress.at(n + 1)
    }
    progress.end()
  } finally {
    for (const subject of subjects) await subject.stop()
  }
  const tabulate = (share: number): Rows =>
    Object.fromEntries(
      names.map((measure) => [
        measures[measure],
        Object.fromEntries(
          subjects.map(({ label }) => [
            label,
            percentile(times.get(`${label} ${measure}`) ?? [], share).toFixed(2),
          ]),
        ),
      ]),
    )
  return { p50: tabulate(0.5), p99: tabulate(0.99), plans, faults }
}
