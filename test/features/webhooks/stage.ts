import { createPublicKey, verify } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import { createSecrets } from '../../../app/config/secrets.ts'
import type { QueuedDb } from '../../../app/db/connect.ts'
import type { Db } from '../../../app/db/schema.ts'
import { createTokenCodec } from '../../../app/features/feed/token.ts'
import { createProveEmpty } from '../../../app/features/feed/unchanged.ts'
import { createWebhookKeys } from '../../../app/features/webhooks/keys.ts'
import { createDeliver } from '../../../app/features/webhooks/message.ts'
import { toInstant } from '../../../app/features/webhooks/schedule.ts'
import { startWebhooks } from '../../../app/features/webhooks/sender.ts'
import type { Webhook } from '../../../app/features/webhooks/store.ts'
import type { Outbound } from '../../../app/http/outbound.ts'
import { run } from '../../command-line.ts'
import { secretKey, startTestFence, type TestDatabase } from '../../helper.ts'

export const secrets = createSecrets([secretKey])
export const tokens = createTokenCodec(secrets)

export type Received = {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  message: { type: string; timestamp: string; data: { resources: string[]; after?: string } }
}

export type Receiver = {
  outbound: Outbound
  received: Received[]
  /** Without test messages. */
  messages(): Received[]
  /** Returns the status. Rejects if the receiver is unreachable. */
  answer: (received: Received) => number | Promise<number>
  /** The response headers, in lower case. */
  headers: Record<string, string>
}

/** Replaces the Internet: a receiver at `host`. By default it accepts everything. */
export const createReceiver = (host: string): Receiver => {
  const receiver: Receiver = {
    received: [],
    messages: () => receiver.received.filter(({ message }) => message.type !== 'webhook.test'),
    answer: () => 204,
    headers: {},
    async outbound(url, { headers, body }) {
      if (new URL(url).hostname !== host) throw new Error('of another test')
      const text = String(body)
      const received = { url, headers, body: text, message: JSON.parse(text) }
      receiver.received.push(received)
      const status = await receiver.answer(received)
      return { status, headers: receiver.headers, body: Buffer.alloc(0) }
    },
  }
  return receiver
}

type SenderOptions = {
  /** `offsetMs` is added to the database's clock, or to `stoppedAt` if it is set. */
  clock?: { offsetMs: number; stoppedAt?: number }
  db?: QueuedDb
  reserved?: Db
  spacingMs?: number
  everyMs?: number
  renewEveryMs?: number
}

/** Starts a sender with its own poller, like another instance. */
export const startSender = async (
  t: Pick<Test, 'teardown'>,
  database: TestDatabase,
  { outbound }: Pick<Receiver, 'outbound'>,
  options: SenderOptions = {},
) => {
  const { clock = { offsetMs: 0 }, spacingMs = 0, everyMs = 50, renewEveryMs = 2_000 } = options
  const { poller, freshness } = await startTestFence(database.url)
  const now = () => (clock.stoppedAt ?? poller.databaseNow()) + clock.offsetMs
  const today = () => toInstant(now()).slice(0, 10)
  const disabled: string[] = []
  const warnings: string[] = []
  const { db = database.reader, reserved = database.reserved } = options
  const sender = startWebhooks({
    db,
    reserved,
    tokens,
    now,
    spacingMs,
    everyMs,
    renewEveryMs,
    proveEmpty: createProveEmpty({ db, freshness, today, now, monotonicNow: () => performance.now() }),
    deliver: createDeliver({ outbound, keys: createWebhookKeys(secrets), now }),
    listen: poller.listen,
    warn: (message) => void warnings.push(message),
    random: () => 0,
    onAttempt: (_result, { kind }, { webhook_id: id }) => {
      if (kind === 'disable') disabled.push(id)
    },
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= sender.stop().then(() => poller.close())
    return stopped
  }
  t.teardown(stop)
  return { sender, stop, disabled, warnings }
}

/** The operator's commands. They send test messages to this receiver. */
export const createCommands = ({ url }: TestDatabase, { outbound }: Pick<Receiver, 'outbound'>) => {
  const env = { DATABASE_URL: url, SECRET_KEY: secretKey }
  const cli = (...words: string[]) => run(['webhooks', ...words, '--json'], { env, outbound })
  const json = async (...words: string[]): Promise<Webhook> => {
    const { stdout, stderr, code } = await cli(...words)
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }
  return { cli, json }
}

/** Verifies a message with the published key, as Standard Webhooks specifies. */
export const isSigned = ({ headers, body }: Received, whpk: string): boolean => {
  const raw = Buffer.from(whpk.replace(/^whpk_/, ''), 'base64')
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  })
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
  return (headers['webhook-signature'] ?? '').split(' ').some((each) => {
    const [version, signature = ''] = each.split(',')
    return version === 'v1a' && verify(null, signed, key, Buffer.from(signature, 'base64'))
  })
}

/** Enough time for some polls and rounds, to show that nothing is sent. */
export const quiet = () => delay(400)
