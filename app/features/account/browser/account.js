import { find, make } from '../../../site/browser/ui.js'
import { number } from '../../../site/browser/units.js'
import { rotationParts } from './account-rotation.js'
import { createSession, Refusal } from './account-session.js'
import { table, tag } from './account-table.js'
import { describeEnd, formatDay, formatTime } from './account-times.js'
import { clearNotice, fillNotice, showFault } from './notice.js'
import { addUp, size, usageChart } from './usage-chart.js'

// The key is in a variable only until its request is sent, and the token in the session's memory.

const outcome = find('#outcome', HTMLElement)
const enter = find('#enter', HTMLFormElement)
const keyField = find('#key', HTMLInputElement)
const account = find('#account', HTMLElement)

/** Runs the action of a click. A fault replaces the fault of an earlier click. @param {() => Promise<void>} act */
const attempt = async (act) => {
  clearNotice(outcome)
  try {
    await act()
  } catch (error) {
    showFault(outcome, error)
  }
}

const session = createSession((reason) => {
  account.replaceChildren()
  account.hidden = true
  enter.hidden = false
  keyField.value = ''
  fillNotice(outcome, 'Signed out.', reason, '')
})

/** @param {any} me @param {() => void} forget */
const head = ({ customer, plan, key }, forget) => {
  const facts = {
    Customer: [customer],
    Plan: [plan],
    'This key': [make('bdi', {}, key.name ?? key.id)],
    'It ends': describeEnd(key.expires_at),
  }
  const button = make('button', { type: 'button' }, 'Forget the token')
  button.addEventListener('click', forget)
  return make(
    'div',
    { class: 'account-head' },
    make(
      'dl',
      { class: 'cells' },
      ...Object.entries(facts).map(([name, value]) =>
        make('div', {}, make('dt', {}, name), make('dd', {}, ...value)),
      ),
    ),
    button,
  )
}

/** @param {any[]} keys */
const keysTable = (keys) =>
  table(
    'Keys',
    ['Key', 'State', 'Ends', 'Last use', 'Made', 'Networks', 'Scopes'],
    keys.map(({ id, name, is_current, state, created_at, last_used_on, expires_at, networks, scopes }) => [
      [
        ...(name === null ? [] : [make('bdi', {}, name), ' ']),
        make('code', {}, id),
        ...(is_current ? [make('small', {}, 'this key')] : []),
        ...(scopes.includes('calendar:read') ? [make('small', {}, 'calendar address')] : []),
      ],
      [tag(state)],
      ['revoked', 'expired'].includes(state) ? [formatDay(expires_at)] : describeEnd(expires_at),
      [formatDay(last_used_on)],
      [formatDay(created_at)],
      [networks === null ? 'not shown' : networks.includes('::/0') ? 'any' : networks.join(', ')],
      [make('details', {}, make('summary', {}, number(scopes.length)), scopes.join(', '))],
    ]),
  )

const downloadUsage = async () => {
  const answer = await session.get('/v1/me/usage?format=csv')
  const href = URL.createObjectURL(await answer.blob())
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  make('a', { href, download: name ?? 'usage.csv' }).click()
  URL.revokeObjectURL(href)
}

/** @param {import('./usage-chart.js').UsageDay[]} data @param {any} counted */
const usageParts = (data, counted) => {
  const sums = addUp(data, 'endpoint').sort((a, b) => b.requests - a.requests)
  const rows = sums.map(({ endpoint, requests, not_modified, refused, bytes }) => [
    [make('code', {}, endpoint)],
    [number(requests)],
    [number(not_modified)],
    [number(refused)],
    [size(bytes)],
  ])
  const button = make('button', { type: 'button', class: 'quiet' }, 'Download as CSV')
  button.addEventListener('click', () => attempt(downloadUsage))
  const list = table('Usage by endpoint', ['Endpoint', 'Requests', '304', 'Refused', 'Bytes'], rows, 4)
  list.classList.add('usage')
  return [
    ...(rows.length > 0
      ? [usageChart(data, counted), list]
      : [make('p', {}, 'No request was counted in the last 31 days.')]),
    make('p', { class: 'soft small usage' }, counted.note, ' Days are in UTC.'),
    button,
  ]
}

/** @param {any} webhook */
const webhookPart = ({ id, url, resources, state, reason, failing_since, last_result, delivered_at }) => {
  const list = make('div', {})
  const attempts = make('details', {}, make('summary', {}, 'Last attempts'), list)
  const showAttempts = async () => {
    const { data } = await (await session.get(`/v1/me/webhooks/${id}/deliveries`)).json()
    const rows = data.map((/** @type {any} */ { at, message_id, result }) => [
      [formatTime(at)],
      [result],
      [make('code', {}, message_id)],
    ])
    const none = make('p', {}, 'No message was sent yet.')
    list.replaceChildren(
      rows.length > 0 ? table(`Attempts of ${id}`, ['At', 'Result', 'Message'], rows) : none,
    )
  }
  attempts.addEventListener('toggle', async () => {
    if (attempts.open) await attempt(showAttempts)
  })
  const since = failing_since === null ? '' : `, failing since ${formatTime(failing_since)}`
  return make(
    'div',
    { class: 'plate webhook' },
    make('p', {}, tag(state), ' ', make('strong', {}, url)),
    make('p', { class: 'soft' }, `${resources.join(', ')} · `, make('code', {}, id)),
    make(
      'p',
      {},
      `Last accepted: ${formatTime(delivered_at)}. Last result: ${last_result ?? 'none'}${since}`,
      reason === null ? '.' : `. Disabled: ${reason}.`,
    ),
    attempts,
  )
}

/** @param {string} id @param {string} title @param {() => Promise<Node[]> | Node[]} fill */
const section = async (id, title, fill) => {
  const heading = make('h2', {}, title)
  try {
    const parts = await fill()
    return make('section', { id }, heading, ...parts)
  } catch (error) {
    // A service without webhooks has no such address.
    if (error instanceof Refusal && error.status === 404) return undefined
    if (!(error instanceof Refusal)) throw error
    return make('section', { id }, heading, make('p', {}, error.message))
  }
}

/** @param {string} path */
const read = async (path) => (await session.get(path)).json()

/** @param {(path: string) => Promise<Response>} get */
const keysSection = (get) =>
  section('keys', 'Keys', async () => [keysTable((await (await get('/v1/me/keys')).json()).data)])

/** Shows the pending key. Never ends the session: that would remove the new key before the customer has copied it. */
const refreshKeys = async () => {
  const unread = 'The keys could not be read again. To see them, forget the token and log in.'
  const fresh = await keysSection(session.tryGet).catch(() =>
    section('keys', 'Keys', () => [make('p', {}, unread)]),
  )
  if (fresh) document.querySelector('#keys')?.replaceWith(fresh)
}

const show = async () => {
  const { data: me } = await read('/v1/me')
  const sections = await Promise.all([
    keysSection(session.get),
    section('usage', 'Usage', async () => {
      const { data, counted } = await read('/v1/me/usage')
      return usageParts(data, counted)
    }),
    section('webhooks', 'Webhooks', async () => {
      const { data } = await read('/v1/me/webhooks')
      return data.length > 0 ? data.map(webhookPart) : [make('p', {}, 'There are no webhooks.')]
    }),
    section('rotation', 'Rotate this key', () =>
      rotationParts(me, { onAttempt: () => clearNotice(outcome), onRotated: refreshKeys }),
    ),
  ])
  // The page may have been left in the meantime.
  if (!session.isOpen()) return
  const forget = () => session.end('The token is forgotten.')
  account.replaceChildren(head(me, forget), ...sections.filter((each) => each !== undefined))
  enter.hidden = true
  account.hidden = false
  account.focus({ preventScroll: true })
  scrollTo(0, 0)
}

enter.hidden = false
enter.addEventListener('submit', async (event) => {
  event.preventDefault()
  const button = find('button', HTMLButtonElement, enter)
  const apiKey = keyField.value.trim()
  keyField.value = ''
  button.disabled = true
  await attempt(async () => {
    await session.begin(apiKey)
    await show()
  })
  button.disabled = false
})
