import { send } from './answer.js'
import { controlList, fieldOf, filterRow } from './controls.js'
import { toTarget } from './query.js'
import { showRequest, token } from './stage.js'
import { find, make } from './ui.js'

/**
 * The controls of the form, drawn from the request that they stand for.
 * @typedef {import('./openapi.js').Endpoint} Endpoint
 * @typedef {import('./query.js').Pair} Pair
 */

/** The request as it is built. The endpoint is set before anything is drawn. */
export const form = {
  /** @type {Endpoint} */
  endpoint: /** @type {any} */ (undefined),
  id: '',
  /** @type {Pair[]} */
  pairs: [],
}

export const target = () =>
  toTarget(
    form.endpoint.path,
    form.id,
    form.pairs.filter(([, value]) => value !== ''),
  )
const isControl = (/** @type {string} */ name) =>
  name === 'cursor' || name === 'after' || form.endpoint.controls.some((control) => control.name === name)
export const sentValue = (/** @type {string} */ name) => form.pairs.find(([each]) => each === name)?.[1] ?? ''
export const isFeed = () => form.endpoint.path === '/v1/changes'

/** @param {string} name @param {string} value */
export const setValue = (name, value) => {
  const at = form.pairs.findIndex(([each]) => each === name)
  if (at === -1) form.pairs.push([name, value])
  else form.pairs[at] = [name, value]
  if (name !== 'cursor') leaveCursor()
  showRequest([target()])
}

/** A cursor belongs to its filters and sort: another query begins at its first page. */
export const leaveCursor = () => {
  form.pairs = form.pairs.filter(([name]) => name !== 'cursor')
}

const showFilters = () => {
  const box = find('#filters', HTMLElement)
  const rows = form.pairs.flatMap((pair, index) => (isControl(pair[0]) ? [] : [{ pair, index }]))
  box.replaceChildren(
    ...rows.map(({ pair, index }) =>
      filterRow(form.endpoint, pair, {
        onName: (name) => {
          const isSameField = fieldOf(name) === fieldOf(pair[0])
          form.pairs[index] = [name, isSameField && !name.endsWith('[null]') ? pair[1] : firstValue(name)]
          leaveCursor()
          redraw(() => find('#filters', HTMLElement).children[rows.findIndex((row) => row.index === index)])
        },
        onValue: (value) => {
          form.pairs[index] = [pair[0], value]
          pair[1] = value
          leaveCursor()
          showRequest([target()])
        },
        onRemove: () => {
          form.pairs.splice(index, 1)
          leaveCursor()
          redraw()
          find('#add-filter', HTMLElement).focus()
        },
      }),
    ),
  )
  const details = find('#filter-block', HTMLDetailsElement)
  details.hidden = form.endpoint.fields.length === 0 && rows.length === 0
  details.open ||= rows.length > 0
  find('#add-filter', HTMLElement).hidden = form.endpoint.fields.length === 0
}

/** @param {string} name a value that shows what the filter does */
export const firstValue = (name) => {
  const operator = form.endpoint.fields
    .find((field) => field.name === fieldOf(name))
    ?.operators.find((each) => each.name === name)
  return operator?.choices[0] ?? operator?.example ?? ''
}

const showControls = () => {
  const list = controlList(form.endpoint, sentValue, setValue)
  find('#controls', HTMLElement).replaceChildren(...list)
  const details = find('#control-block', HTMLDetailsElement)
  details.hidden = list.length === 0
  details.open ||= form.endpoint.controls.some(({ isRequired }) => isRequired)
  find('#search-block', HTMLElement).hidden = !form.endpoint.controls.some(({ name }) => name === 'q')
  find('#search', HTMLInputElement).value = sentValue('q')
}

/** @param {() => Element | undefined} [row] the filter whose first control keeps the focus */
export const redraw = (row) => {
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

/**
 * A first request that is answered: a short page, and an example for each parameter that is required.
 * @param {Endpoint} chosen
 * @param {string} [id] absent or empty: the first that there is
 */
export const choose = async (chosen, id = '') => {
  form.endpoint = chosen
  form.pairs = chosen.controls.flatMap(({ name, isRequired, example }) =>
    isRequired ? [[name, example]] : name === 'limit' ? [['limit', '3']] : [],
  )
  form.id = id
  find('#record-id', HTMLInputElement).value = id
  showEndpoint()
  if (chosen.hasId) await offerIds(chosen)
}

export const showEndpoint = () => {
  find('#endpoint', HTMLSelectElement).value = form.endpoint.path
  find('#summary', HTMLElement).textContent = form.endpoint.summary
  find('#id-block', HTMLElement).hidden = !form.endpoint.hasId
  find('#mistake-block', HTMLElement).hidden = form.endpoint.controls.length === 0
  for (const name of ['#filter-block', '#control-block']) find(name, HTMLDetailsElement).open = false
  redraw()
}

/** @param {Endpoint} chosen */
const offerIds = async (chosen) => {
  const [list] = chosen.path.split('/{id}')
  const { body } = await send(`${list}?fields=id&limit=20`, token)
  if (form.endpoint !== chosen) return
  /** @type {string[]} */
  const ids = (body?.data ?? []).map((/** @type {{ id: string }} */ row) => row.id)
  find('#record-ids', HTMLElement).replaceChildren(...ids.map((each) => make('option', { value: each })))
  if (form.id !== '') return
  form.id = ids[0] ?? ''
  find('#record-id', HTMLInputElement).value = form.id
  showRequest([target()])
}
