import { bytesOf, phrase, send, showBody, showFigures, showSaving } from './answer.js'
import { controlList, fieldOf, filterRow } from './controls.js'
import { showFaults } from './faults.js'
import { listEndpoints } from './openapi.js'
import { applySuggestion, fromSearch, snippets, toTarget } from './query.js'
import { startTabs } from './tabs.js'
import { addCopyButton, find, make, milliseconds, number } from './ui.js'

/**
 * @typedef {import('./openapi.js').Endpoint} Endpoint
 * @typedef {import('./query.js').Pair} Pair
 * @typedef {import('./answer.js').Answer} Answer
 * @typedef {import('./faults.js').Fault} Fault
 */

const token = find('#demo', HTMLElement).dataset.token ?? ''
/** Where clients find the service; requests here go to where the page came from. */
let publicUrl = location.origin

/** @type {Endpoint[]} */
let endpoints = []
/** @type {Endpoint} */
let endpoint
let id = ''
/** @type {Pair[]} */
let pairs = []
/** The last whole answer and its address, for the ETag. @type {{ target: string, answer: Answer } | undefined} */
let whole
/** @type {'curl' | 'javascript' | 'python'} */
let language = 'curl'

const target = () =>
  toTarget(
    endpoint.path,
    id,
    pairs.filter(([, value]) => value !== ''),
  )
const isControl = (/** @type {string} */ name) =>
  name === 'cursor' || endpoint.controls.some((control) => control.name === name)
const sentValue = (/** @type {string} */ name) => pairs.find(([each]) => each === name)?.[1] ?? ''

/** @param {string} name @param {string} value */
const setValue = (name, value) => {
  const at = pairs.findIndex(([each]) => each === name)
  if (at === -1) pairs.push([name, value])
  else pairs[at] = [name, value]
  if (name !== 'cursor') leaveCursor()
  showSnippet()
}

/** A cursor belongs to its filters and sort: another query begins at its first page. */
const leaveCursor = () => {
  pairs = pairs.filter(([name]) => name !== 'cursor')
}

const showSnippet = () => {
  find('#code', HTMLElement).textContent = snippets(publicUrl + target(), token)[language]
}

const showFilters = () => {
  const box = find('#filters', HTMLElement)
  const rows = pairs.flatMap((pair, index) => (isControl(pair[0]) ? [] : [{ pair, index }]))
  box.replaceChildren(
    ...rows.map(({ pair, index }) =>
      filterRow(endpoint, pair, {
        onName: (name) => {
          const isSameField = fieldOf(name) === fieldOf(pair[0])
          pairs[index] = [name, isSameField && !name.endsWith('[null]') ? pair[1] : firstValue(name)]
          leaveCursor()
          redraw(() => find('#filters', HTMLElement).children[rows.findIndex((row) => row.index === index)])
        },
        onValue: (value) => {
          pairs[index] = [pair[0], value]
          pair[1] = value
          leaveCursor()
          showSnippet()
        },
        onRemove: () => {
          pairs.splice(index, 1)
          leaveCursor()
          redraw()
          find('#add-filter', HTMLElement).focus()
        },
      }),
    ),
  )
  find('#filter-block', HTMLElement).hidden = endpoint.fields.length === 0 && rows.length === 0
  find('#add-filter', HTMLElement).hidden = endpoint.fields.length === 0
}

/** @param {string} name a value that shows what the filter does */
const firstValue = (name) => {
  const operator = endpoint.fields
    .find((field) => field.name === fieldOf(name))
    ?.operators.find((each) => each.name === name)
  return operator?.choices[0] ?? operator?.example ?? ''
}

const showControls = () => {
  const list = controlList(endpoint, sentValue, setValue)
  find('#controls', HTMLElement).replaceChildren(...list)
  find('#control-block', HTMLElement).hidden = list.length === 0
}

/** @param {() => Element | undefined} [row] the filter whose first control keeps the focus */
const redraw = (row) => {
  const tag = document.activeElement?.tagName
  const index = row
    ? [...(document.activeElement?.parentElement?.children ?? [])].indexOf(
        /** @type {Element} */ (document.activeElement),
      )
    : -1
  showFilters()
  showControls()
  showSnippet()
  const kept = row?.()?.children[index]
  if (kept instanceof HTMLElement && kept.tagName === tag) kept.focus()
}

/** @param {Endpoint} chosen */
const choose = async (chosen) => {
  endpoint = chosen
  pairs = chosen.controls.some(({ name }) => name === 'limit') ? [['limit', '3']] : []
  id = ''
  find('#record-id', HTMLInputElement).value = ''
  find('#endpoint', HTMLSelectElement).value = chosen.path
  find('#summary', HTMLElement).textContent = chosen.summary
  find('#id-block', HTMLElement).hidden = !chosen.hasId
  find('#mistake', HTMLElement).hidden = chosen.controls.length === 0
  redraw()
  if (chosen.hasId) await offerIds(chosen)
}

/** @param {Endpoint} chosen */
const offerIds = async (chosen) => {
  const list = chosen.path.replace('/{id}', '')
  const { body } = await send(`${list}?fields=id&limit=20`, token)
  if (endpoint !== chosen) return
  /** @type {string[]} */
  const ids = (body?.data ?? []).map((/** @type {{ id: string }} */ row) => row.id)
  find('#record-ids', HTMLElement).replaceChildren(...ids.map((each) => make('option', { value: each })))
  id = ids[0] ?? ''
  find('#record-id', HTMLInputElement).value = id
  showSnippet()
}

/** Puts what was meant in place of the slip. @param {Fault} fault */
const mend = (fault) => {
  const choices = [
    ...endpoint.fields.flatMap((field) => field.operators.filter(({ name }) => name === fault.parameter)),
    ...endpoint.controls.filter(({ name }) => name === fault.parameter),
  ].flatMap((each) => each.choices)
  pairs = applySuggestion(pairs, fault, (item) => choices.includes(item))
  redraw()
}

/** @param {string} search the corrected query */
const sendCorrected = (search) => {
  pairs = fromSearch(search)
  redraw()
  void submit()
}

/** @param {Answer} answer */
const tell = (answer) => {
  const { status, body, ms } = answer
  const rows = Array.isArray(body?.data) ? `, ${number(body.data.length)} records` : ''
  find('#said', HTMLElement).textContent =
    `${phrase(status)}${rows}, ${number(bytesOf(answer))} bytes in ${milliseconds(ms)}.`
}

/** @param {Answer} answer */
const show = (answer) => {
  find('#answer', HTMLElement).hidden = false
  tell(answer)
  showFigures(answer)
  showFaults(answer, mend, sendCorrected)
  const isWhole = answer.status === 200
  const next = answer.body?.page?.next_cursor
  if (answer.status === 304 && whole) showSaving(whole.answer, answer)
  else find('#compare', HTMLElement).replaceChildren()
  find('#again', HTMLElement).hidden = !(isWhole || answer.status === 304) || !whole
  if (answer.status !== 304) {
    find('#next', HTMLElement).hidden = typeof next !== 'string'
    find('#next', HTMLElement).dataset.cursor = next ?? ''
    find('#first', HTMLElement).hidden = sentValue('cursor') === ''
    showBody(find('#body pre', HTMLElement), answer)
  }
}

/** @param {string} [etag] */
const submit = async (etag) => {
  const asked = etag !== undefined && whole ? whole.target : target()
  find('#said', HTMLElement).textContent = 'Sent …'
  try {
    const answer = await send(asked, token, etag)
    if (answer.status === 200) {
      whole = answer.headers.get('etag') === null ? undefined : { target: asked, answer }
    }
    show(answer)
  } catch (error) {
    find('#said', HTMLElement).textContent =
      `The request failed: ${error instanceof Error ? error.message : error}. Check your network.`
  }
}

/** A slip in a value and one in a name, so that both kinds of help are seen. */
const makeMistake = () => {
  const field = endpoint.fields.find(({ operators }) => (operators[0]?.choices[0]?.length ?? 0) > 5)
  const choice = field?.operators[0]?.choices[1] ?? field?.operators[0]?.choices[0]
  const slip = choice ? choice.slice(0, 2) + choice.slice(3) : ''
  pairs = [...(field && choice ? [/** @type {Pair} */ ([field.name, slip])] : []), ['limt', '3']]
  redraw()
  void submit()
}

const start = async () => {
  const answer = await fetch('/openapi.json', { headers: { Authorization: `Bearer ${token}` } })
  const document = await answer.json()
  publicUrl = document.servers?.[0]?.url ?? location.origin
  endpoints = listEndpoints(document)
  const groups = Map.groupBy(endpoints, ({ group }) => group)
  find('#endpoint', HTMLSelectElement).replaceChildren(
    ...[...groups].map(([label, list]) =>
      make('optgroup', { label }, ...list.map(({ path }) => make('option', { value: path }, `GET ${path}`))),
    ),
  )
  const asked = new URLSearchParams(location.search).get('path')
  const first = endpoints.find(({ path }) => path === asked) ?? endpoints[0]
  if (!first) throw new Error('there is no endpoint for the demo token')
  await choose(first)
  if (first.path === '/v1/certificates' && asked === null) {
    pairs = [
      ['expiring', 'true'],
      ['valid_until[lt]', 'today+60d'],
      ['limit', '2'],
    ]
    redraw()
  }
}

find('#endpoint', HTMLSelectElement).addEventListener('change', (event) => {
  const chosen = endpoints.find(({ path }) => path === /** @type {HTMLSelectElement} */ (event.target).value)
  if (chosen) void choose(chosen)
})
find('#record-id', HTMLInputElement).addEventListener('input', (event) => {
  id = /** @type {HTMLInputElement} */ (event.target).value
  showSnippet()
})
find('#add-filter', HTMLElement).addEventListener('click', () => {
  const used = new Set(pairs.map(([name]) => fieldOf(name)))
  const field =
    endpoint.fields.find(({ name, operators }) => !used.has(name) && operators[0]?.choices.length) ??
    endpoint.fields[0]
  if (!field) return
  pairs.unshift([field.name, firstValue(field.name)])
  leaveCursor()
  redraw()
  const [row] = find('#filters', HTMLElement).children
  if (row) find('select', HTMLSelectElement, row).focus()
})
find('#request', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault()
  void submit()
})
find('#mistake', HTMLElement).addEventListener('click', makeMistake)
find('#again', HTMLElement).addEventListener(
  'click',
  () => void submit(whole?.answer.headers.get('etag') ?? undefined),
)
find('#next', HTMLElement).addEventListener('click', () => {
  setValue('cursor', find('#next', HTMLElement).dataset.cursor ?? '')
  void submit()
})
find('#first', HTMLElement).addEventListener('click', () => {
  leaveCursor()
  showSnippet()
  void submit()
})
for (const box of document.querySelectorAll('.codebox')) addCopyButton(/** @type {HTMLElement} */ (box))
startTabs((name) => {
  language = /** @type {typeof language} */ (name)
  showSnippet()
})
start().catch((error) => {
  find('#said', HTMLElement).textContent =
    `The demo could not be loaded: ${error.message}. Load the page again.`
})
