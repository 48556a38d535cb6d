import pg from 'pg'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { instantText } from '../../app/db/instant.ts'
import { createTokenCodec } from '../../app/features/feed/token.ts'
import { createQueryString } from '../../app/http/pairs.ts'
import { createCursorCodec } from '../../app/lists/cursor.ts'
import { createPrepare } from '../../app/records/query/prepare.ts'
import { resources } from '../../app/records/resources/index.ts'
import { openAsker, requestText } from '../lib/client.ts'
import { cpuMs, residentMib } from '../lib/cpu.ts'
import { startService } from '../lib/processes.ts'
import { issueKey, logIn, secretKey } from '../lib/seed.ts'
import { type Cell, measuredCustomer as customerId, listHolders } from './cells.ts'
import { type RowName, rows } from './rows.ts'
import { middleTransaction } from './seed.ts'

/** A database, and a service that uses it. */
export type Subject = {
  cell: Cell
  url: string
  /** Resolves with milliseconds of processor time of an answer, service and PostgreSQL together. */
  measure(name: RowName): Promise<number>
  residentMib(): number
  stop(): Promise<void>
}

const oneDayMs = 86_400_000
/** Different records and positions, so that answers are not cached. More than all rounds request. */
const places = 2_000

const codecs = {
  cursor: createCursorCodec(createSecrets([secretKey])),
  token: createTokenCodec(createSecrets([secretKey])),
}

type Position = [at: string, id: string]

const listMiddle = async (client: pg.Client, records: number): Promise<Position[]> => {
  const { rows: found } = await client.query<Position>({
    text: `select ${instantText('created_at')}, id from certificates where customer_id = $1
      order by created_at desc, id desc offset $2 limit ${places}`,
    values: [customerId, Math.floor(records / 2)],
    rowMode: 'array',
  })
  return found
}

const getSelection = (): string => {
  const outcome = createPrepare()(resources.certificates, 'page', createQueryString('limit=50'))
  if (!('query' in outcome)) throw new Error('the service refuses the query limit=50: update this bench')
  return outcome.query.selection
}

const readToken = async (url: string, authorization: string): Promise<string> => {
  const answer = await fetch(`${url}/v1/changes`, { headers: { authorization } })
  if (!answer.ok) throw new Error(await answer.text())
  return ((await answer.json()) as { page: { next_token: string } }).page.next_token
}

/** A token of two weeks ago, for a resource of which nothing has changed since. */
const toOldToken = async (client: pg.Client, fresh: string): Promise<string> => {
  const token = codecs.token.decode(customerId, fresh)
  if (!token) throw new Error('the sync token of the service cannot be read: update this bench')
  const { rows: found } = await client.query(
    `select pruned_below::text as first, (select mark::text from change_marks order by xid limit 1) as mark from change_state`,
  )
  const xid = middleTransaction(Number(found[0].first))
  const at = new Date(Date.now() - 14 * oneDayMs)
  return codecs.token.encode(customerId, {
    ...token,
    resources: ['products'],
    base: parseSnapshot(`${xid}:${xid}:`),
    baseAt: at.toISOString(),
    issuedAt: Math.floor(at.getTime() / 1000),
    mark: found[0].mark,
  })
}

const changeOne = `update certificates set title = title || '.' where customer_id = $1 and id = 'c1'`

const createPaths = async (client: pg.Client, url: string, authorization: string, cell: Cell) => {
  const { records } = listHolders(cell)[0] as { records: number }
  const middle = await listMiddle(client, records)
  const selection = getSelection()
  const beforeChange = await readToken(url, authorization)
  await client.query(changeOne, [customerId])
  const afterChange = await readToken(url, authorization)
  const old = await toOldToken(client, afterChange)
  let count = 0
  /** A condition that all records meet. Each answer is read from the database. */
  const unique = () => `created_at[lt]=${new Date(Date.UTC(2200, 0) + count++).toISOString()}`
  const list = (query: string) => () => `/v1/certificates?limit=50&${query}&${unique()}`
  const nextMiddle = () => middle[count++ % middle.length] as Position
  return {
    cached: () => '/v1/certificates?limit=50',
    uncached: () => `/v1/certificates?limit=50&${unique()}`,
    filtered: list('country_code=JP&validity=valid'),
    tag: list('tags=t77'),
    middle: () =>
      `/v1/certificates?limit=50&cursor=${codecs.cursor.encode(customerId, selection, nextMiddle())}`,
    one: list('q=singular'),
    tenth: list('q=tenth'),
    all: list('q=radio'),
    count: list('count=exact'),
    emptyPoll: () => `/v1/changes?after=${afterChange}`,
    oneChange: () => `/v1/changes?after=${beforeChange}`,
    pause: () => `/v1/changes?after=${old}`,
    record: () => `/v1/certificates/${nextMiddle()[1]}/history`,
    history: () => `/v1/history?since=${new Date(Date.now() - 20 * oneDayMs - count++).toISOString()}`,
  } satisfies Partial<Record<RowName, () => string>>
}

const loginText = (apiKey: string): string => {
  const body = JSON.stringify({ api_key: apiKey })
  return `POST /v1/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

export const openSubject = async (url: string, cell: Cell, postmaster: number): Promise<Subject> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const apiKey = await issueKey(client, customerId)
  const service = await startService({ DATABASE_URL: url, SECRET_KEY: secretKey, LOG_LEVEL: 'warn' })
  const authorization = `Bearer ${await logIn(service.url, { customerId, apiKey })}`
  const paths = await createPaths(client, service.url, authorization, cell)
  await client.end()
  const asker = await openAsker(service.url)
  const getText = (name: RowName) =>
    name === 'login' ? loginText(apiKey) : requestText(paths[name](), { authorization })
  return {
    cell,
    url,
    async measure(name) {
      const { requests } = rows[name]
      const before = cpuMs(service.pid, postmaster)
      for (let sent = 0; sent < requests; sent++) {
        const { status, head } = await asker.ask(getText(name))
        if (status !== 200) throw new Error(`${cell.label}, ${rows[name].about}: ${head}`)
      }
      return (cpuMs(service.pid, postmaster) - before) / requests
    },
    residentMib: () => residentMib(service.pid),
    async stop() {
      asker.close()
      await service.stop()
    },
  }
}
