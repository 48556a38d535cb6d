import { find, make, milliseconds, number } from './ui.js'

/**
 * What came back, and how.
 * @typedef {object} Answer
 * @property {number} status
 * @property {Headers} headers
 * @property {string} text
 * @property {any} body undefined: no JSON
 * @property {number} ms from sending to the last byte, in the browser
 * @property {number | undefined} bytes of the body as it crossed the network, encoded; undefined: the browser does not tell
 */

/**
 * @param {string} url
 * @param {string} token
 * @param {string} [etag]
 * @returns {Promise<Answer>}
 */
export const send = async (url, token, etag) => {
  performance.clearResourceTimings()
  const started = performance.now()
  const answer = await fetch(url, {
    cache: 'no-store',
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json',
      ...(etag === undefined ? {} : { 'If-None-Match': etag }),
    },
  })
  const text = await answer.text()
  const ms = performance.now() - started
  // Written a moment after the body was read.
  await new Promise((resolve) => setTimeout(resolve, 20))
  const entry = performance.getEntriesByType('resource').at(-1)
  const timing = entry instanceof PerformanceResourceTiming ? entry : undefined
  let body
  try {
    body = JSON.parse(text)
  } catch {}
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body,
    ms,
    bytes: answer.status === 304 ? 0 : timing?.encodedBodySize || undefined,
  }
}

/** @type {Record<number, string>} */
const phrases = {
  200: 'OK',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  406: 'Not Acceptable',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** @param {number} status */
export const phrase = (status) => `${status} ${phrases[status] ?? ''}`.trim()

/** @param {Answer} answer what Cache-Status means, in words */
const cacheWords = ({ headers, status }) => {
  const said = headers.get('cache-status') ?? ''
  const asOf = headers.get('data-as-of')
  const until = asOf === null ? '' : ` It contains every commit before ${asOf.slice(11, 23)} UTC.`
  if (said.includes('db-unreachable'))
    return `From a cache, and marked as stale, because the database does not answer.${until}`
  if (said.includes('detail=redis')) return `From the cache that instances share.${until}`
  if (said.includes('; hit')) return `From memory, without asking the database.${until}`
  if (said.includes('; stored')) return `Read from the database, and kept for the next request.${until}`
  if (said.includes('fwd=')) return `Read from the database.${until}`
  return status < 400 ? 'Made for this request: such answers are never kept.' : ''
}

/** @param {Answer} answer */
export const bytesOf = ({ bytes, text }) => bytes ?? new TextEncoder().encode(text).length

/** @param {Answer} answer */
export const showFigures = (answer) => {
  const { status, headers, ms } = answer
  const server = /dur=([\d.]+)/.exec(headers.get('server-timing') ?? '')?.[1]
  const limit = /r=(\d+)/.exec(headers.get('ratelimit')?.split(',')[1] ?? headers.get('ratelimit') ?? '')?.[1]
  const cells = [
    ['Status', phrase(status), status < 400 ? 'good' : 'bad'],
    ['Time, in the browser', milliseconds(ms), ''],
    ['Time, at the service', server === undefined ? '–' : milliseconds(Number(server)), ''],
    ['Body, as sent', `${number(bytesOf(answer))} bytes`, ''],
    [
      'Cache',
      /certdata; (hit|fwd)/.exec(headers.get('cache-status') ?? '')?.[1]?.replace('fwd', 'miss') ?? '–',
      '',
    ],
    ['Left this minute', limit ?? '–', ''],
  ]
  find('#figures', HTMLElement).replaceChildren(
    ...cells.map(([name, value, tone]) =>
      make('div', {}, make('dt', {}, name ?? ''), make('dd', { class: tone }, value ?? '')),
    ),
  )
  find('#cache-words', HTMLElement).textContent = cacheWords(answer)
  find('#headers tbody', HTMLElement).replaceChildren(
    ...[...headers].map(([name, value]) => make('tr', {}, make('td', {}, name), make('td', {}, value))),
  )
}

/** @param {Answer} full @param {Answer} empty what a 304 saves */
export const showSaving = (full, empty) => {
  const [before, after] = [bytesOf(full), bytesOf(empty)]
  const head = ['', 'Body', 'Time'].map((text) => make('th', { scope: 'col' }, text))
  const row = (/** @type {string} */ name, /** @type {number} */ bytes, /** @type {number} */ ms) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, name),
      make('td', {}, `${number(bytes)} bytes`),
      make('td', {}, milliseconds(ms)),
    )
  find('#compare', HTMLElement).replaceChildren(
    make(
      'div',
      { class: 'notice' },
      make('p', {}, make('strong', {}, '304: nothing to receive, and nothing of the quota of the minute.')),
      make(
        'table',
        {},
        make('thead', {}, make('tr', {}, ...head)),
        make('tbody', {}, row('The whole answer', before, full.ms), row('Not modified', after, empty.ms)),
      ),
    ),
  )
}

const tokenPattern = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g
/** More than anybody reads, and what a browser lays out at once. */
const maxShown = 200_000

/** @param {HTMLElement} pre @param {Answer} answer */
export const showBody = (pre, { body, text }) => {
  const whole = body === undefined ? text : JSON.stringify(body, null, 2)
  const shown =
    whole.length > maxShown
      ? `${whole.slice(0, maxShown)}\n… ${number(whole.length - maxShown)} characters more`
      : whole
  if (body === undefined) return pre.replaceChildren(shown)
  /** @type {(Node | string)[]} */
  const parts = []
  let at = 0
  for (const match of shown.matchAll(tokenPattern)) {
    parts.push(shown.slice(at, match.index))
    const [all, string, colon, word] = match
    const kind = string ? (colon ? 'key' : 'string') : word ? 'word' : 'number'
    parts.push(make('span', { class: `tok-${kind}` }, string ?? all), colon ?? '')
    at = match.index + all.length
  }
  pre.replaceChildren(...parts, shown.slice(at))
}
