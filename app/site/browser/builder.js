import { send } from './answer.js'
import { fieldOf } from './controls.js'
import { showFaults } from './faults.js'
import {
  choose,
  firstValue,
  form,
  isFeed,
  leaveCursor,
  redraw,
  sentValue,
  setValue,
  showEndpoint,
  target,
} from './form.js'
import { listEndpoints } from './openapi.js'
import { applySuggestion, fromSearch } from './query.js'
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

/** Puts what was meant in place of the slip. @param {Fault} fault */
const mend = (fault) => {
  const choices = [
    ...form.endpoint.fields.flatMap((field) =>
      field.operators.filter(({ name }) => name === fault.parameter),
    ),
    ...form.endpoint.controls.filter(({ name }) => name === fault.parameter),
  ].flatMap((each) => each.choices)
  form.pairs = applySuggestion(form.pairs, fault, (item) => choices.includes(item))
  redraw()
}

/** @param {string} search the corrected query */
const sendCorrected = (search) => {
  form.pairs = fromSearch(search)
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
  const field = form.endpoint.fields.find(({ operators }) => (operators[0]?.choices[0]?.length ?? 0) > 5)
  const choice = field?.operators[0]?.choices[1] ?? field?.operators[0]?.choices[0]
  const slip = choice ? choice.slice(0, 2) + choice.slice(3) : ''
  form.pairs = [...(field && choice ? [/** @type {Pair} */ ([field.name, slip])] : []), ['limt', '3']]
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

/** The endpoint of a path, and the id in it; the first endpoint if none fits. @param {string} pathname */
const findEndpoint = (pathname) => {
  for (const endpoint of endpoints) {
    const [before = '', after] = endpoint.path.split('{id}')
    if (
      after === undefined ? pathname !== before : !(pathname.startsWith(before) && pathname.endsWith(after))
    )
      continue
    const id = pathname.slice(before.length, pathname.length - (after ?? '').length)
    if (!id.includes('/')) return /** @type {const} */ ([endpoint, decodeURIComponent(id)])
  }
  return /** @type {const} */ ([endpoints[0], ''])
}

/** Shows the form with a request, and its answer. @param {string} wanted the path with its query */
export const openBuilder = async (wanted) => {
  await load()
  const { pathname, search } = new URL(wanted, location.origin)
  const [chosen, id] = findEndpoint(pathname)
  if (!chosen) throw new Error('there is no endpoint for the demo token')
  await choose(chosen, id)
  if (search !== '') {
    form.pairs = fromSearch(search)
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
    form.id = /** @type {HTMLInputElement} */ (event.target).value
    showRequest([target()])
  })
  find('#search', HTMLInputElement).addEventListener('input', (event) =>
    setValue('q', /** @type {HTMLInputElement} */ (event.target).value),
  )
  find('#add-filter', HTMLElement).addEventListener('click', () => {
    const used = new Set(form.pairs.map(([name]) => fieldOf(name)))
    const field =
      form.endpoint.fields.find(({ name, operators }) => !used.has(name) && operators[0]?.choices.length) ??
      form.endpoint.fields[0]
    if (!field) return
    form.pairs.unshift([field.name, firstValue(field.name)])
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
