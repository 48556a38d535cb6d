import { find, make } from '../../../site/browser/ui.js'
import { milliseconds, number } from '../../../site/browser/units.js'

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {Headers} headers
 * @property {string} text
 * @property {any} body `undefined` if it is not JSON
 * @property {number} ms from sending to the last byte
 * @property {number | undefined} bytes size of the encoded body, if the browser reports it
 */

/** Fetches, and rejects in words for a visitor. @param {string} url @param {RequestInit} init */
export const reach = (url, init) =>
  fetch(url, init).catch(() => {
    throw new Error('The service cannot be reached. Wait a moment, then try again.')
  })

/** Sends a GET request. Resolves for any status. @param {string} url @param {string} token @param {string} [etag] @returns {Promise<Answer>} */
export const send = async (url, token, etag) => {
  performance.clearResourceTimings()
  const address = new URL(url, location.origin).href
  const started = performance.now()
  const answer = await reach(address, {
    cache: 'no-store',
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json',
      ...(etag === undefined ? {} : { 'If-None-Match': etag }),
    },
  })
  const text = await answer.text()
  const ms = performance.now() - started
  // The browser adds its timing entry a moment after the body was read.
  await new Promise((resolve) => setTimeout(resolve, 20))
  const entry = performance.getEntriesByName(address, 'resource').at(-1)
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

/** @param {Answer} answer */
const cacheWords = ({ headers, status }) => {
  const said = headers.get('cache-status') ?? ''
  const asOf = headers.get('data-as-of')
  const until = asOf === null ? '' : ` It contains every commit before ${asOf.slice(11, 23)} UTC.`
  if (said.includes('db-unreachable'))
    return `From a cache, and marked as stale, because the database does not answer.${until}`
  if (said.includes('detail=distrusted'))
    return `At most ten seconds old, because the database has changed without the change log.${until}`
  if (said.includes('detail=redis')) return `From the cache that instances share.${until}`
  if (said.includes('; hit')) return `From memory, without asking the database.${until}`
  if (said.includes('; stored')) return `Read from the database, and kept for the next request.${until}`
  if (said.includes('fwd=')) return `Read from the database.${until}`
  return status < 400 ? 'Made for this request: such answers are never kept.' : ''
}

/** Returns the size as sent, or the size of the text if the browser reports none. @param {Answer} answer */
export const countBytes = ({ bytes, text }) => bytes ?? new TextEncoder().encode(text).length

/** True for stale answers, too. @param {Answer} answer */
export const isHit = ({ headers }) => /certdata; hit/.test(headers.get('cache-status') ?? '')

/** Shows the sum of the bytes, the longest time, and the headers of the first answer. @param {Answer[]} answers */
export const showFigures = (answers) => {
  const [answer] = answers
  if (!answer) return
  const { status, headers } = answer
  const durations = answers.map((each) =>
    Number(/dur=([\d.]+)/.exec(each.headers.get('server-timing') ?? '')?.[1]),
  )
  const server = Math.max(...durations)
  const minute = /"minute";r=(\d+)/.exec(answers.at(-1)?.headers.get('ratelimit') ?? '')?.[1]
  const outcome = /certdata; (hit|fwd)/.exec(headers.get('cache-status') ?? '')?.[1]
  const cells = [
    ['Status', phrase(status), status < 400 ? 'good' : 'bad'],
    ['Time, in the browser', milliseconds(Math.max(...answers.map(({ ms }) => ms))), ''],
    ['Time, at the service', Number.isNaN(server) ? '–' : milliseconds(server), ''],
    ['Body, as sent', `${number(answers.reduce((sum, each) => sum + countBytes(each), 0))} bytes`, ''],
    ['Cache', outcome?.replace('fwd', 'miss') ?? '–', ''],
    ['Left this minute', minute ?? '–', ''],
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

const tokenPattern = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g
/** Number of characters. Longer bodies are cut, because their layout would be slow. */
const maxShown = 200_000

/** @param {HTMLElement} pre @param {Answer[]} answers */
export const showBodies = (pre, answers) => {
  const most = Math.floor(maxShown / answers.length)
  pre.replaceChildren(...answers.flatMap((answer, i) => [i === 0 ? '' : '\n\n', ...formatBody(answer, most)]))
}

/** @param {Answer} answer @param {number} most @returns {(Node | string)[]} */
const formatBody = ({ body, text }, most) => {
  const whole = body === undefined ? text : JSON.stringify(body, null, 2)
  const shown =
    whole.length > most ? `${whole.slice(0, most)}\n… ${number(whole.length - most)} characters more` : whole
  if (body === undefined) return [shown]
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
  return [...parts, shown.slice(at)]
}
