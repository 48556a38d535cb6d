import { send } from './answer.js'
import { controlList, fieldOf, filterRow } from './controls.js'
import { showFaults } from './faults.js'
import { listEndpoints } from './openapi.js'
import { applySuggestion, fromSearch, toTarget } from './query.js'
import { describe, say, showAnswers, showRequest, token } from './stage.js'
import { find, make } from './ui.js'

/**
 * The form that builds any request with controls, from the OpenAPI document that the demo token sees.
 * @typedef {import('./openapi.js').Endpoint} Endpoint
 * @typedef {import('./query.js').Pair} Pair
 * @typedef {import('./answer.js').Answer} Answer
 * @typedef {import('./faults.js').Fault} Fault
 */

/** @type {Endpoint[]} */
let endpoints = []
/** @type {Endpoint} */
let endpoint
let id = ''
/** @type {Pair[]} */
let pairs = []

const target = () =>
  toTarget(
    endpoint.path,
    id,
    pairs.filter(([, value]) => value !== ''),
  )
const isControl = (/** @type {string} */ name) =>
  name === 'cursor' || name === 'after' || endpoint.controls.some((control) => control.name === name)
const sentValue = (/** @type {string} */ name) => pairs.find(([each]) => each === name)?.[1] ?? ''
const isFeed = () => endpoint.path === '/v1/changes'

/** @param {string} name @param {string} value */
const setValue = (name, value) => {
  const at = pairs.findIndex(([each]) => each === name)
  if (at === -1) pairs.push([name, value])
  else pairs[at] = [name, value]
  if (name !== 'cursor') leaveCursor()
  showRequest([target()])
}

/** A cursor belongs to its filters and sort: another query begins at its first page. */
const leaveCursor = () => {
  pairs = pairs.filter(([name]) => name !== 'cursor')
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
          showRequest([target()])
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
  const details = find('#filter-block', HTMLDetailsElement)
  details.hidden = endpoint.fields.length === 0 && rows.length === 0
  details.open ||= rows.length > 0
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
  const details = find('#control-block', HTMLDetailsElement)
  details.hidden = list.length === 0
  details.open ||= endpoint.controls.some(({ isRequired }) => isRequired)
  find('#search-block', HTMLElement).hidden = !endpoint.controls.some(({ name }) => name === 'q')
  find('#search', HTMLInputElement).value = sentValue('q')
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
  showRequest([target()])
  const kept = row?.()?.children[index]
  if (kept instanceof HTMLElement && kept.tagName === tag) kept.focus()
}

/** A first request that is answered: a short page, and an example for each parameter that is required. @param {Endpoint} chosen */
const choose = async (chosen) => {
  endpoint = chosen
  pairs = chosen.controls.flatMap(({ name, isRequired, example }) =>
    isRequired ? [[name, example]] : name === 'limit' ? [['limit', '3']] : [],
  )
  id = ''
  find('#record-id', HTMLInputElement).value = ''
  showEndpoint()
  if (chosen.hasId) await offerIds(chosen)
}

const showEndpoint = () => {
  find('#endpoint', HTMLSelectElement).value = endpoint.path
  find('#summary', HTMLElement).textContent = endpoint.summary
  find('#id-block', HTMLElement).hidden = !endpoint.hasId
  find('#mistake-block', HTMLElement).hidden = endpoint.controls.length === 0
  for (const name of ['#filter-block', '#control-block']) find(name, HTMLDetailsElement).open = false
  redraw()
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
  showRequest([target()])
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
const show = (answer) => {
  const empty = isFeed() && answer.body?.data?.length === 0
  say(describe(answer) + (empty ? ' No changes yet: the token says where to go on.' : ''))
  showAnswers([target()], [answer])
  showFaults(answer, mend, sendCorrected)
  const { next_cursor: cursor, next_token: after } = answer.body?.page ?? {}
  const next = find('#next', HTMLElement)
  next.textContent = isFeed() ? 'Change a record, and wait for it' : 'Next page'
  next.dataset.cursor = cursor ?? after ?? ''
  next.hidden = next.dataset.cursor === ''
  find('#first', HTMLElement).hidden = sentValue('cursor') === ''
}

const submit = async () => {
  say('Sent …')
  try {
    show(await send(target(), token))
  } catch (error) {
    say(`The request failed: ${error instanceof Error ? error.message : error}. Check your network.`)
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

const goOn = () => {
  const { cursor = '' } = find('#next', HTMLElement).dataset
  if (isFeed()) {
    setValue('after', cursor)
    setValue('wait', '25')
    void fetch('/demo/change', { method: 'POST' })
  } else setValue('cursor', cursor)
  redraw()
  void submit()
}

/** Reads the endpoints once. */
const load = async () => {
  if (endpoints.length > 0) return
  const answer = await fetch('/openapi.json', { headers: { Authorization: `Bearer ${token}` } })
  endpoints = listEndpoints(await answer.json())
  const groups = Map.groupBy(endpoints, ({ group }) => group)
  find('#endpoint', HTMLSelectElement).replaceChildren(
    ...[...groups].map(([label, list]) =>
      make('optgroup', { label }, ...list.map(({ path }) => make('option', { value: path }, `GET ${path}`))),
    ),
  )
}

/** Shows the form with a request, and its answer. @param {string} wanted the path with its query */
export const openBuilder = async (wanted) => {
  await load()
  const { pathname, search } = new URL(wanted, location.origin)
  const chosen = endpoints.find(({ path }) => path === pathname) ?? endpoints[0]
  if (!chosen) throw new Error('there is no endpoint for the demo token')
  await choose(chosen)
  if (search !== '') {
    pairs = fromSearch(search)
    showEndpoint()
  }
  await submit()
}

/** Makes the form work. */
export const startBuilder = () => {
  find('#endpoint', HTMLSelectElement).addEventListener('change', (event) => {
    const chosen = endpoints.find(
      ({ path }) => path === /** @type {HTMLSelectElement} */ (event.target).value,
    )
    if (chosen) void choose(chosen)
  })
  find('#record-id', HTMLInputElement).addEventListener('input', (event) => {
    id = /** @type {HTMLInputElement} */ (event.target).value
    showRequest([target()])
  })
  find('#search', HTMLInputElement).addEventListener('input', (event) =>
    setValue('q', /** @type {HTMLInputElement} */ (event.target).value),
  )
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
  find('#request', HTMLFormElement).addEventListener('submit', async (event) => {
    event.preventDefault()
    await submit()
    // Where the answer stands below the form, a reader would not see that it came.
    const tabs = find('.tabs', HTMLElement)
    if (tabs.getBoundingClientRect().top > innerHeight / 2) tabs.scrollIntoView()
  })
  find('#mistake', HTMLElement).addEventListener('click', makeMistake)
  find('#next', HTMLElement).addEventListener('click', goOn)
  find('#first', HTMLElement).addEventListener('click', () => {
    leaveCursor()
    showRequest([target()])
    void submit()
  })
}
