import { find, make } from '../../../site/browser/ui.js'
import { milliseconds } from '../../../site/browser/units.js'
import { reach, send } from './answer.js'
import { collectNames, toWords } from './names.js'
import { approvals } from './questions.js'
import { token } from './stage.js'

/**
 * A button changes an example record, and the change feed reports it. `until` is null if a change was undone.
 * @typedef {{ resource: string, id: string, status: string, until: string | null }} Change
 * @typedef {{ resource: string, id: string, data: Record<string, any> | null }} Event
 */

/** The service undoes a change after a minute. It checks every 15 s. */
const followMs = 100_000
/** The service refuses a second change from the same address within this time. */
const pauseMs = 10_000

/** The sync token. @type {string | undefined} */
let after
let followUntil = 0
let isFollowing = false
/** The name and last known status of each approval. @type {Map<string, { name: string, status: string }>} */
const known = new Map()
/** Statuses that the service restores when it undoes the changes of this page. @type {Map<string, string>} */
const originals = new Map()
/** The last change of this page, and the time of its commit. @type {Promise<{ change: Change, at: number } | undefined>} */
let committed = Promise.resolve(undefined)

const say = (/** @type {(Node | string)[]} */ ...words) => {
  find('#live-said', HTMLElement).replaceChildren(...words)
}

/** @param {string} query */
const askFeed = async (query) => {
  const answer = await reach(`/v1/changes?resources=approvals${query}`, {
    cache: 'no-store',
    headers: { Authorization: `Bearer ${token}` },
  })
  const body = await answer.json()
  if (!answer.ok) throw new Error(body.detail)
  after = body.page.next_token
  return /** @type {Event[]} */ (body.data)
}

const readApprovals = async () => {
  const { status, body } = await send(approvals.targets[0] ?? '', token)
  if (status !== 200) throw new Error(body?.detail)
  const { product, country } = collectNames([body])
  for (const row of body.data)
    known.set(row.id, { name: `${product(row)}, ${country(row)}`, status: row.status })
}

/** Shows a change, and its delay if this page made it. @param {Event} event @param {number} at time of arrival */
const describe = async ({ id, data }, at) => {
  const record = known.get(id)
  const from = record?.status
  if (!record || !data || from === data.status) return
  record.status = data.status
  const click = await committed
  const isOurs = click?.change.id === id && click.change.status === data.status
  const isUndone = originals.get(id) === data.status
  if (isUndone) originals.delete(id)
  else if (isOurs && click.change.until) originals.set(id, from ?? '')
  say(
    make('strong', {}, record.name),
    `: ${toWords(from ?? '')} → `,
    make('strong', {}, toWords(data.status)),
    isUndone ? '. Undone.' : isOurs ? `, ${milliseconds(Math.max(0, at - click.at))} after the commit.` : '.',
    ' ',
    make('a', { href: `#history/approvals/${id}` }, 'See its history'),
  )
}

/** @param {(events: Event[]) => void} onEvents */
const follow = async (onEvents) => {
  if (isFollowing) return
  isFollowing = true
  try {
    while (performance.now() < followUntil) {
      const events = await askFeed(`&after=${after}&wait=25`)
      const at = performance.now()
      if (events.length > 0) onEvents(events)
      for (const event of events) await describe(event, at)
    }
  } finally {
    isFollowing = false
  }
}

const requestChange = async () => {
  const sentAt = performance.now()
  const answer = await reach('/demo/change', { method: 'POST' })
  const body = await answer.json()
  if (!answer.ok) throw new Error(body.detail)
  // The commit was between request and answer. The middle is off by half of that time at most.
  return { change: /** @type {Change} */ (body), at: (sentAt + performance.now()) / 2 }
}

const failed = (/** @type {unknown} */ error) => {
  after = undefined
  followUntil = 0
  say(error instanceof Error ? error.message : String(error))
}

/** @param {(events: Event[]) => void} onEvents */
const change = async (onEvents) => {
  const button = find('#change', HTMLButtonElement)
  button.disabled = true
  setTimeout(() => {
    button.disabled = false
  }, pauseMs)
  say('Changing …')
  try {
    // Without `after`, the feed starts now: earlier changes are not shown.
    if (after === undefined) await Promise.all([askFeed(''), readApprovals()])
    followUntil = performance.now() + followMs
    const request = requestChange()
    committed = request.catch(() => undefined)
    void follow(onEvents).catch(failed)
    await request
  } catch (error) {
    failed(error)
  }
}

/** @param {{ onClick: () => void, onEvents: (events: Event[]) => void }} page */
export const startLive = ({ onClick, onEvents }) => {
  find('#change', HTMLElement).addEventListener('click', () => {
    onClick()
    void change(onEvents)
  })
}
