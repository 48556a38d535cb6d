import { token } from './stage.js'
import { find, make } from './ui.js'
import { milliseconds } from './units.js'

/**
 * Real time: a button changes an example record, and the change feed tells of it. All times are of the page's clock.
 * @typedef {{ resource: string, id: string, status: string, until: string | null }} Change
 * @typedef {{ resource: string, id: string, data: Record<string, any> | null }} Event
 */

/** The service undoes a change after a minute, and looks every 15 s. */
const followMs = 100_000
/** An address may change one record in this time. */
const pauseMs = 10_000

/** Where to go on in the feed. @type {string | undefined} */
let after
let followUntil = 0
let isFollowing = false
/**
 * The click whose event is waited for. The event may come before the answer of the request that caused it.
 * @type {{ startedAt: number, change?: Change, seen: { event: Event, at: number }[] } | undefined}
 */
let waited
/** Told of each change that arrives. @type {(event: Event) => void} */
let tell = () => {}

const say = (/** @type {string} */ words) => {
  find('#live-said', HTMLElement).textContent = words
}

/** @param {string} query */
const askFeed = async (query) => {
  const answer = await fetch(`/v1/changes?resources=approvals${query}`, {
    cache: 'no-store',
    headers: { Authorization: `Bearer ${token}` },
  })
  const body = await answer.json()
  if (!answer.ok) throw new Error(body.detail)
  after = body.page.next_token
  return /** @type {Event[]} */ (body.data)
}

/** @param {Event} event */
const listEvent = ({ id, data }) => {
  const clock = new Date().toISOString().slice(11, 23)
  const words = `: ${(data?.status ?? 'deleted').replaceAll('_', ' ')}`
  const link = make('a', { href: `#history/approvals/${id}` }, id)
  const list = find('#events', HTMLElement)
  list.prepend(make('li', {}, make('span', { class: 'soft' }, `${clock} UTC `), link, words))
  while (list.children.length > 6) list.lastChild?.remove()
}

/** Tells when the event of the click has arrived: others change records, too. */
const settle = () => {
  if (!waited?.change) return
  const { change, seen, startedAt } = waited
  const found = seen.find(({ event: { id, data } }) => id === change.id && data?.status === change.status)
  if (!found) return
  find('#event-ms', HTMLElement).textContent = milliseconds(found.at - startedAt)
  find('#live-figures', HTMLElement).hidden = false
  say('The change arrived. Stay for a minute to see it undone.')
  waited = undefined
}

/** Follows the feed until nothing more is to come. */
const follow = async () => {
  if (isFollowing) return
  isFollowing = true
  try {
    while (performance.now() < followUntil) {
      const events = await askFeed(`&after=${after}&wait=25`)
      const at = performance.now()
      events.forEach(listEvent)
      waited?.seen.push(...events.map((event) => ({ event, at })))
      settle()
      events.forEach(tell)
    }
  } finally {
    isFollowing = false
  }
}

const change = async () => {
  const button = find('#change', HTMLButtonElement)
  const startedAt = performance.now()
  button.disabled = true
  setTimeout(() => {
    button.disabled = false
  }, pauseMs)
  say('Changing …')
  try {
    // What happened before the click is no news.
    if (after === undefined) await askFeed('')
    waited = { startedAt, seen: [] }
    followUntil = startedAt + followMs
    void follow().catch(failed)
    const answer = await fetch('/demo/change', { method: 'POST' })
    const storedMs = performance.now() - startedAt
    const body = await answer.json()
    if (!answer.ok) throw new Error(body.detail)
    find('#stored-ms', HTMLElement).textContent = milliseconds(storedMs)
    if (waited) waited.change = body
    const history = find('#live-history', HTMLAnchorElement)
    history.href = `#history/${body.resource}/${body.id}`
    history.hidden = false
    settle()
  } catch (error) {
    failed(error)
  }
}

const failed = (/** @type {unknown} */ error) => {
  waited = undefined
  after = undefined
  followUntil = 0
  say(error instanceof Error ? error.message : String(error))
}

/**
 * The button, and the token of the feed, which is read when the part comes into view.
 * @param {(event: Event) => void} onEvent told of each change that arrives
 */
export const startLive = (onEvent) => {
  tell = onEvent
  find('#change', HTMLElement).addEventListener('click', () => void change())
  const watcher = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    watcher.disconnect()
    if (after === undefined) askFeed('').catch(() => {})
  })
  watcher.observe(find('#change', HTMLElement))
}
