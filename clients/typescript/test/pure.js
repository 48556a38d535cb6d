// Judges the vectors that need no server, so that they run in Node.js and in a browser.

/** JSON with sorted members: two values are the same where their texts are. */
const textOf = (value) =>
  JSON.stringify(value, (_, each) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

/** The pairs of a vector as a client takes them: null is absent. */
export const toQuery = (pairs = []) =>
  Object.fromEntries(pairs.map(([name, value]) => [name, value === null ? undefined : value]))

const judgeQuery = ({ formatQuery }, { query, text }) => [
  [formatQuery(toQuery(query)), text === '' ? '' : `?${text}`],
]

const judgeError = async ({ readProblem, parseRetryAfter }, { status, headers, body, now, report }) => {
  const { code, problem, faults, requestId, ...error } = await readProblem(
    new Response(body, { status, headers }),
  )
  const retryAfterMs = parseRetryAfter(error.headers.get('retry-after'), Date.parse(now)) ?? null
  const reported = {
    status: error.status,
    code,
    detail: problem.detail,
    faults,
    request_id: requestId ?? null,
  }
  return [[{ ...reported, retry_after_ms: retryAfterMs }, report]]
}

const judgeCell = ({ formatCell, parseCell }, { kind, value, cell, reads_as: readsAs = value }) => [
  [formatCell(value, kind), cell],
  [parseCell(cell, kind), readsAs],
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
    : // Whatever went wrong with the connection: no whole answer came.
      {}
  const decide = (random) => client.decideRetry(method, attempt, failure, client.defaultRetry, random) ?? null
  return [
    [decide(0), waitMs?.[0] ?? null],
    [decide(1), waitMs?.[1] ?? null],
  ]
}

const judges = {
  query: judgeQuery,
  errors: judgeError,
  csv: judgeCell,
  'csv-rows': judgeRows,
  retries: judgeRetry,
}

/** Names of the files that `judge` takes. */
export const pureFiles = Object.keys(judges)

/** Resolves with how the client differs from a vector; undefined: it does as the vector says. */
export const judge = async (client, file, vector) => {
  const pairs = await judges[file](client, vector)
  const wrong = pairs.find(([actual, expected]) => textOf(actual) !== textOf(expected))
  return wrong && `${textOf(wrong[0])} for ${textOf(wrong[1])}`
}
