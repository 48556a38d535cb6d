import { addCopyButton, find, make } from '../../../site/browser/ui.js'
import { number } from '../../../site/browser/units.js'
import { createSession, postKey, Refusal } from './account-session.js'
import { addUp, size, usageChart } from './usage-chart.js'

// The key is in a variable only until its request is sent, and the token in the session's memory.

const outcome = find('#outcome', HTMLElement)
const enter = find('#enter', HTMLFormElement)
const keyField = find('#key', HTMLInputElement)
const account = find('#account', HTMLElement)

const rotateScope = 'keys:rotate'
const dayMs = 86_400_000
/** As the clients warn. */
const soonDays = 14

/** @param {string} title @param {string} text @param {'bad' | ''} [tone] */
const say = (title, text, tone = 'bad') => {
  outcome.className = `notice ${tone}`
  outcome.setAttribute('role', tone === 'bad' ? 'alert' : 'status')
  outcome.replaceChildren(make('p', {}, make('strong', {}, title)), make('p', {}, text))
  outcome.focus()
}

const silence = () => {
  outcome.className = ''
  outcome.removeAttribute('role')
  outcome.replaceChildren()
}

const session = createSession((reason) => {
  account.replaceChildren()
  account.hidden = true
  enter.hidden = false
  keyField.value = ''
  say('Signed out.', reason, '')
})

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const minute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
/** @param {string | null} instant */
const formatDay = (instant) => (instant === null ? 'never' : day.format(new Date(instant)))
/** @param {string | null} instant */
const formatTime = (instant) => (instant === null ? 'never' : minute.format(new Date(instant)))

/** @param {string | null} instant */
const describeEnd = (instant) => {
  if (instant === null) return ['no end']
  const days = Math.floor((Date.parse(instant) - Date.now()) / dayMs)
  if (days < 0) return [formatDay(instant)]
  const words = days === 0 ? 'today or tomorrow' : `in ${number(days)} ${days === 1 ? 'day' : 'days'}`
  return [formatDay(instant), make('small', { class: days < soonDays ? 'warn' : undefined }, words)]
}

/** @param {string} title @param {readonly string[]} heads @param {readonly (readonly (Node | string)[])[][]} rows @param {number} [counts] columns at the end with numbers */
const table = (title, heads, rows, counts = 0) => {
  const toClass = (/** @type {number} */ at) => (at >= heads.length - counts ? 'count' : undefined)
  return make(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title },
    make(
      'table',
      {},
      make(
        'thead',
        {},
        make('tr', {}, ...heads.map((text, at) => make('th', { scope: 'col', class: toClass(at) }, text))),
      ),
      make(
        'tbody',
        {},
        ...rows.map((cells) =>
          make(
            'tr',
            {},
            ...cells.map((content, at) =>
              at === 0
                ? make('th', { scope: 'row' }, ...content)
                : make('td', { class: toClass(at) }, ...content),
            ),
          ),
        ),
      ),
    ),
  )
}

/** @param {string} name */
const tag = (name) => make('span', { class: `tag ${name}` }, name)

/** @param {any} me @param {() => void} forget */
const head = ({ customer, plan, key }, forget) => {
  const facts = {
    Customer: [customer],
    Plan: [plan],
    'This key': [key.name ?? key.id],
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
    ['Key', 'State', 'Ends', 'Last login', 'Made', 'Networks', 'Scopes'],
    keys.map(({ id, name, is_current, state, created_at, last_used_on, expires_at, networks, scopes }) => [
      [
        ...(name === null ? [] : [name, ' ']),
        make('code', {}, id),
        ...(is_current ? [make('small', {}, 'this key')] : []),
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
  button.addEventListener('click', () => downloadUsage().catch(sayFault))
  const list = table('Usage by endpoint', ['Endpoint', 'Requests', '304', 'Refused', 'Bytes'], rows, 4)
  list.classList.add('usage')
  return [
    usageChart(data, counted),
    ...(rows.length > 0 ? [list] : []),
    make('p', { class: 'soft small usage' }, counted.note, ' Days are in UTC.'),
    button,
  ]
}

/** @param {any} webhook */
const webhookPart = ({ id, url, resources, state, reason, failing_since, last_result, delivered_at }) => {
  const list = make('div', {})
  const attempts = make('details', {}, make('summary', {}, 'Last attempts'), list)
  attempts.addEventListener('toggle', async () => {
    if (!attempts.open) return
    try {
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
    } catch (error) {
      sayFault(error)
    }
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

/** @param {{ api_key: string, key: { id: string }, replaces: string, overlap_seconds: number }} rotated */
const showNewKey = ({ api_key: apiKey, key, replaces, overlap_seconds: seconds }) => {
  const box = make('div', { class: 'codebox', 'data-copy': '' })
  box.append(make('pre', { tabindex: '0', 'aria-label': 'New API key' }, apiKey))
  addCopyButton(box)
  return [
    make(
      'p',
      {},
      make('strong', {}, `Copy the new key ${key.id} to a safe place now. It cannot be shown again.`),
    ),
    box,
    make(
      'p',
      {},
      `From the first login with it, the key ${replaces} works for another ${number(seconds / 86_400)} days. `,
      'If you lose the new key before that, rotate once more.',
    ),
  ]
}

const rotationForm = () => {
  const field = make('input', {
    type: 'password',
    id: 'rotated',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'rotated-hint',
  })
  const button = make('button', { type: 'submit', class: 'main' }, 'Make a new key')
  const form = make(
    'form',
    { class: 'plate' },
    make('label', { for: 'rotated' }, 'API key'),
    make('p', { class: 'hint', id: 'rotated-hint' }, 'Paste the key again: a token cannot rotate a key.'),
    field,
    button,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const apiKey = field.value.trim()
    field.value = ''
    button.disabled = true
    try {
      const shown = make(
        'div',
        { tabindex: '-1' },
        ...showNewKey(await postKey('/v1/me/keys/rotate', apiKey)),
      )
      form.replaceWith(shown)
      shown.focus()
    } catch (error) {
      sayFault(error)
    }
    button.disabled = false
  })
  return form
}

/** @param {readonly string[]} scopes */
const rotationParts = (scopes) =>
  scopes.includes(rotateScope)
    ? [
        make('p', {}, 'The new key has the same scopes and networks. Both keys work for some days.'),
        rotationForm(),
      ]
    : [
        make(
          'p',
          {},
          'This key may not be rotated here: it lacks the scope ',
          make('code', {}, rotateScope),
          '. Ask the certification house for a new key before this one ends.',
        ),
      ]

/** @param {unknown} error */
const sayFault = (error) => {
  if (error instanceof Refusal && error.isShown) return
  if (error instanceof Refusal) say('The service refused the request.', error.message)
  else say('The service could not be reached.', 'Check your network and try again.')
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

const show = async () => {
  const { data: me } = await read('/v1/me')
  const sections = await Promise.all([
    section('keys', 'Keys', async () => [keysTable((await read('/v1/me/keys')).data)]),
    section('usage', 'Usage', async () => {
      const { data, counted } = await read('/v1/me/usage')
      return usageParts(data, counted)
    }),
    section('webhooks', 'Webhooks', async () => {
      const { data } = await read('/v1/me/webhooks')
      return data.length > 0 ? data.map(webhookPart) : [make('p', {}, 'There are no webhooks.')]
    }),
    section('rotation', 'Rotate this key', () => rotationParts(me.scopes)),
  ])
  // The page may have been left in the meantime.
  if (!session.isOpen()) return
  const forget = () => session.end('The token is forgotten.')
  account.replaceChildren(head(me, forget), ...sections.filter((each) => each !== undefined))
  enter.hidden = true
  account.hidden = false
  account.focus()
}

enter.hidden = false
enter.addEventListener('submit', async (event) => {
  event.preventDefault()
  const button = find('button', HTMLButtonElement, enter)
  const apiKey = keyField.value.trim()
  keyField.value = ''
  button.disabled = true
  silence()
  try {
    await session.begin(apiKey)
    await show()
  } catch (error) {
    sayFault(error)
  }
  button.disabled = false
})
