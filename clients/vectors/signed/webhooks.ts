import { createSecrets } from '../../../app/config/secrets.ts'
import { createWebhookKeys } from '../../../app/features/webhooks/keys.ts'

export type Vector = { name: string } & Record<string, unknown>

const seconds = (text: string) => Date.parse(text) / 1000
const now = '2026-11-26T09:00:00Z'
const [own, next, foreign] = ['own', 'next', 'foreign'].map((name) =>
  createWebhookKeys(createSecrets([name.repeat(8)])),
)
const listKeys = (...keys: (typeof own)[]) => keys.flatMap((each) => each?.published.keys ?? [])

type Message = Readonly<{
  id?: string
  timestamp?: string
  body?: string
  /** The keys that sign the message. */
  signers?: readonly (typeof own)[]
}>

const usualBody = JSON.stringify({
  type: 'changes.available',
  timestamp: '2026-11-26T08:59:59.000Z',
  data: { resources: ['certificates', 'products'], after: 'AVsi' },
})

const send = ({
  id = 'msg_1',
  timestamp = String(seconds(now)),
  body = usualBody,
  signers = [own],
}: Message = {}) => ({
  headers: {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signers
      .map((each) => each?.sign(id, Number(timestamp), Buffer.from(body)))
      .join(' '),
  },
  body,
  keys: listKeys(own),
  now,
})

const good = (name: string, message: Message = {}, changes: object = {}): Vector => {
  const sent = { ...send(message), ...changes }
  return { name, ...sent, message: { id: message.id ?? 'msg_1', ...JSON.parse(sent.body) } }
}
const bad = (name: string, reason: string, message: Message = {}, changes: object = {}): Vector => ({
  name,
  ...send(message),
  ...changes,
  reason,
})
const withHeaders = (headers: Record<string, string | undefined>) => ({
  headers: { ...send().headers, ...headers },
})
const at = (offset: number) => String(seconds(now) + offset)
const symmetric = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
const signed = send().headers['webhook-signature']

/** Vectors for webhook receivers: accepted messages, and the reasons to refuse others. */
export const listWebhookVectors = (): Vector[] => [
  good('a message that the service signed'),
  good('a test', {
    body: '{"type":"webhook.test","timestamp":"2026-11-26T08:59:59.000Z","data":{"resources":["products"]}}',
  }),
  good('a message of a type that is not known yet', { body: '{"type":"x.y","timestamp":"t","data":{}}' }),
  good('the bytes count: white space, order of members and letters beyond ASCII', {
    body: '{ "data": {"resources": []},\n  "type":"Übung \u{1d11e} \\u00fc", "timestamp": "t" }\n',
  }),
  good(
    'names of headers in capitals',
    {},
    {
      headers: Object.fromEntries(
        Object.entries(send().headers).map(([name, value]) => [
          name.replace(/^w|-./g, (part) => part.toUpperCase()),
          value,
        ]),
      ),
    },
  ),
  good('two signatures, the first by a key that the receiver does not know', { signers: [next, own] }),
  good('two signatures, the second by a key that the receiver does not know', { signers: [own, next] }),
  good('two keys, of which the second signed', { signers: [next] }, { keys: listKeys(own, next) }),
  good(
    'a signature of another kind beside ours',
    {},
    withHeaders({ 'webhook-signature': `${symmetric} ${signed}` }),
  ),
  good(
    'a signature that is no base64 beside ours',
    {},
    withHeaders({ 'webhook-signature': `v1a,! ${signed}` }),
  ),
  good(
    'a key of another kind beside ours',
    {},
    {
      keys: [
        { kty: 'EC', crv: 'P-256', x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4', kid: 'ec' },
        ...listKeys(own),
      ],
    },
  ),
  good('300 s old', { timestamp: at(-300) }),
  bad('301 s old', 'too_old', { timestamp: at(-301) }),
  good('300 s ahead', { timestamp: at(300) }),
  bad('301 s ahead', 'too_new', { timestamp: at(301) }),
  bad('another body', 'wrong_signature', {}, { body: usualBody.replace('AVsi', 'AVsj') }),
  bad(
    'a body that a JSON parser has read and written',
    'wrong_signature',
    { body: `${usualBody}\n` },
    { body: usualBody },
  ),
  bad('another id', 'wrong_signature', {}, withHeaders({ 'webhook-id': 'msg_2' })),
  bad('another time', 'wrong_signature', {}, withHeaders({ 'webhook-timestamp': at(1) })),
  bad('signed by a key of somebody else', 'wrong_signature', { signers: [foreign] }),
  bad('signed by a key that is no longer published', 'wrong_signature', {}, { keys: listKeys(next) }),
  bad('no keys', 'wrong_signature', {}, { keys: [] }),
  bad('a signature that is no base64', 'wrong_signature', {}, withHeaders({ 'webhook-signature': 'v1a,!' })),
  bad(
    'a signature that is too short',
    'wrong_signature',
    {},
    withHeaders({ 'webhook-signature': 'v1a,AAAA' }),
  ),
  bad(
    'only a signature of another kind',
    'no_signature',
    {},
    withHeaders({ 'webhook-signature': symmetric }),
  ),
  bad('no id', 'missing_header', {}, withHeaders({ 'webhook-id': undefined })),
  bad('no time', 'missing_header', {}, withHeaders({ 'webhook-timestamp': undefined })),
  bad('no signature', 'missing_header', {}, withHeaders({ 'webhook-signature': undefined })),
  bad('an empty signature', 'missing_header', {}, withHeaders({ 'webhook-signature': '' })),
  bad(
    'a time with a fraction',
    'malformed_timestamp',
    {},
    withHeaders({ 'webhook-timestamp': `${at(0)}.5` }),
  ),
  bad('a time before 1970', 'malformed_timestamp', {}, withHeaders({ 'webhook-timestamp': '-1' })),
  bad('a time in words', 'malformed_timestamp', {}, withHeaders({ 'webhook-timestamp': now })),
  bad('a signed body that is no JSON', 'malformed_body', { body: 'hello' }),
  bad('a signed body that is no object', 'malformed_body', { body: '[]' }),
]
