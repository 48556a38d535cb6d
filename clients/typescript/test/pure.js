// Checks the vectors that need no server, so that they run in Node.js and in a browser.

/** JSON with sorted members: two values are equal if their texts are. */
const getText = (value) =>
  JSON.stringify(value, (_, each) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

/** Converts the pairs of a vector to a client's query. null becomes undefined. */
export const toQuery = (pairs = []) =>
  Object.fromEntries(pairs.map(([name, value]) => [name, value === null ? undefined : value]))

/** Returns the URL of a client's first request, or its error message. */
const judgeUrl = async ({ createClient }, { url, origin, error }) => {
  const asked = []
  const record = async (input) => {
    asked.push(String(input))
    return new Response('{"data":{}}')
  }
  const create = async () => createClient({ url, token: 'x', fetch: record })
  const { value: client, refused } = await getOutcome(create(), ({ name, message }) => `${name} ${message}`)
  await client?.me()
  return error ? [[refused, `TypeError ${error}`]] : [[asked, [`${origin}/v1/me`]]]
}

const judgeQuery = ({ formatQuery }, { query, text }) => [
  [formatQuery(toQuery(query)), text === '' ? '' : `?${text}`],
]

const judgeError = async ({ readProblem, parseRetryAfter }, { status, headers, body, now, report }) => {
  const error = await readProblem(new Response(body, { status, headers }))
  const { code, problem, faults, requestId } = error
  const retryAfterMs = parseRetryAfter(error.headers.get('retry-after'), Date.parse(now)) ?? null
  const reported = {
    status: error.status,
    code,
    detail: problem.detail,
    faults,
    request_id: requestId ?? null,
    message: error.message,
  }
  return [[{ ...reported, retry_after_ms: retryAfterMs }, report]]
}

const judgeCell = ({ formatCell, parseCell }, { kind, value, cell }) => [
  [formatCell(value, kind), cell],
  [parseCell(cell, kind), value],
]

const judgeRows = ({ splitCsv }, { text, rows, error }) => {
  if (!error) return [[splitCsv(text), rows]]
  try {
    return [[splitCsv(text), 'an error']]
  } catch {
    return []
  }
}

const judgeRetry = (client, { method, attempt, status, headers, now, wait_ms: waitMs }) => {
  const asked = new Headers(headers).get('retry-after')
  const failure = status
    ? { status, retryAfterMs: client.parseRetryAfter(asked, Date.parse(now)) }
    : // Any connection error: no complete answer arrived.
      {}
  const decide = (random) => client.decideRetry(method, attempt, failure, client.defaultRetry, random) ?? null
  return [
    [decide(0), waitMs?.[0] ?? null],
    [decide(1), waitMs?.[1] ?? null],
  ]
}

/** Returns the value of a promise, or the reason of its rejection. */
const getOutcome = (promise, getReason) =>
  promise.then(
    (value) => ({ value }),
    (error) => ({ refused: getReason(error) }),
  )

const judgeWebhook = async ({ verifyWebhook }, { headers, body, keys, now, message, reason }) => {
  const expected = reason ? { refused: `WebhookError ${reason}` } : { value: message }
  const getReason = (error) => `${error.name} ${error.reason}`
  const given = { keys, nowMs: Date.parse(now) }
  const inBytes = { headers: new Headers(headers), body: new TextEncoder().encode(body) }
  const outcomes = [{ headers, body }, inBytes].map((request) =>
    getOutcome(verifyWebhook({ ...given, ...request }), getReason),
  )
  return (await Promise.all(outcomes)).map((outcome) => [outcome, expected])
}

const fromBase64Url = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0))
const algorithms = {
  EdDSA: ['Ed25519', 'Ed25519'],
  ES256: [
    { name: 'ECDSA', namedCurve: 'P-256' },
    { name: 'ECDSA', hash: 'SHA-256' },
  ],
  PS256: [
    { name: 'RSA-PSS', hash: 'SHA-256' },
    { name: 'RSA-PSS', saltLength: 32 },
  ],
}

/** Returns header and claims of a JWT if this key signed it. */
const openJwt = async (jwt, alg, jwk) => {
  const [head, payload, signature] = jwt.split('.')
  const [header, claims] = [head, payload].map((part) =>
    JSON.parse(new TextDecoder().decode(fromBase64Url(part))),
  )
  const key = await crypto.subtle.importKey('jwk', jwk, algorithms[alg][0], false, ['verify'])
  const signed = new TextEncoder().encode(`${head}.${payload}`)
  const isSigned = await crypto.subtle.verify(algorithms[alg][1], key, fromBase64Url(signature), signed)
  return { header, claims, isSigned }
}

const judgeAssertion = async ({ createAssertion }, vector) => {
  const { private_key: privateKey, public_key: jwk, client_id: clientId, audience, kid, now, jti } = vector
  const options = {
    privateKey,
    clientId,
    audience,
    nowMs: Date.parse(now),
    jti,
    ...(kid === null ? {} : { kid }),
  }
  const { value: jwt, refused } = await getOutcome(createAssertion(options), ({ name }) => name)
  // A TypeError would count as a network failure and be retried.
  if (vector.error) return [[refused, 'Error']]
  const { header, claims } = vector
  return [[await openJwt(jwt, header.alg, jwk), { header, claims, isSigned: true }]]
}

/** Returns the parser's results for consecutive pieces. */
const parseEvents = ({ createEventParser }, pieces) => {
  const parser = createEventParser()
  const events = pieces.flatMap((piece) => parser.push(piece))
  return { events, last_event_id: parser.lastEventId, retry_ms: parser.retryMs ?? null }
}

const judgeEvents = (client, { text, base64, events, last_event_id, retry_ms }) => {
  const bytes = base64
    ? Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))
    : new TextEncoder().encode(text)
  const cuts = Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.slice(0, at), bytes.slice(at)])
  const singles = Array.from(bytes, (each) => Uint8Array.of(each))
  const expected = { events, last_event_id, retry_ms }
  return [singles, ...cuts].map((pieces) => [parseEvents(client, pieces), expected])
}

const judges = {
  urls: judgeUrl,
  query: judgeQuery,
  errors: judgeError,
  csv: judgeCell,
  'csv-rows': judgeRows,
  retries: judgeRetry,
  webhooks: judgeWebhook,
  assertions: judgeAssertion,
  events: judgeEvents,
}

/** Names of the vector files for `judge`. */
export const pureFiles = Object.keys(judges)

/** Describes how the client differs from a vector. `undefined` if it does not differ. */
export const judge = async (client, file, vector) => {
  const pairs = await judges[file](client, vector)
  const wrong = pairs.find(([actual, expected]) => getText(actual) !== getText(expected))
  return wrong && `${getText(wrong[0])} for ${getText(wrong[1])}`
}
