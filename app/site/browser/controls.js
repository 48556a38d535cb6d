import { splitList } from './query.js'
import { make } from './ui.js'

/**
 * Controls for the parameters of an endpoint. They say what they now hold by `onChange`; what they show comes
 * from the query alone.
 * @typedef {import('./openapi.js').Endpoint} Endpoint
 * @typedef {import('./openapi.js').Operator} Operator
 * @typedef {import('./openapi.js').Control} Control
 * @typedef {import('./query.js').Pair} Pair
 */

let made = 0
const freshId = () => `control-${++made}`

/**
 * @param {string[]} choices
 * @param {string[]} chosen
 * @param {string} label
 * @param {(chosen: string[]) => void} onChange
 */
const checkboxes = (choices, chosen, label, onChange) => {
  const boxes = choices.map((choice) => {
    const box = make('input', { type: 'checkbox', value: choice })
    box.checked = chosen.includes(choice)
    return box
  })
  const set = make(
    'fieldset',
    { class: 'choices' },
    make('legend', { class: 'hint' }, label),
    ...boxes.map((box) => make('label', {}, box, box.value)),
  )
  set.addEventListener('change', () => {
    // What is no choice, a mistake of before, goes with the first one made.
    onChange(boxes.filter((box) => box.checked).map((box) => box.value))
  })
  return set
}

/**
 * @param {readonly (readonly [value: string, text: string])[]} options
 * @param {string} value
 * @param {string} label
 * @param {(value: string) => void} onChange
 */
const dropDown = (options, value, label, onChange) => {
  const known = options.some(([each]) => each === value)
    ? options
    : [[value, `${value} (unknown)`], ...options]
  const select = make(
    'select',
    { 'aria-label': label },
    ...known.map(([each = '', text = '']) => make('option', { value: each }, text)),
  )
  select.value = value
  select.addEventListener('change', () => onChange(select.value))
  return select
}

/**
 * @param {string} value
 * @param {{ label?: string, id?: string, hint?: string, type?: string, placeholder?: string, min?: string, max?: string }} how
 * @param {(value: string) => void} onInput
 */
const textField = (value, { label, ...attributes }, onInput) => {
  const input = make('input', { spellcheck: 'false', 'aria-label': label, ...attributes })
  input.value = value
  input.addEventListener('input', () => onInput(input.value))
  return input
}

/** @param {Operator | undefined} operator @param {string} name @param {string} value @param {(value: string) => void} onChange */
const valueControl = (operator, name, value, onChange) => {
  const label = `Value of ${name}`
  if (operator && operator.choices.length > 0 && operator.isList) {
    return checkboxes(operator.choices, splitList(value), 'Any of', (chosen) => onChange(chosen.join(',')))
  }
  if (operator && operator.choices.length > 0) {
    return dropDown(
      operator.choices.map((each) => [each, each]),
      value,
      label,
      onChange,
    )
  }
  const input = textField(value, { label, placeholder: operator ? `e.g. ${operator.example}` : '' }, onChange)
  const hint = operator?.hint.replace(/^(Each|The value) is /, '').replace(/ At most 200.*$/, '')
  return make('div', {}, input, hint ? make('p', { class: 'hint' }, hint) : undefined)
}

/** @param {string} name the part before the operator */
export const fieldOf = (name) => name.split('[')[0] ?? name

/**
 * Makes the row of a filter. It has a field, an operator, a value, and a button that removes the row.
 * @param {Endpoint} endpoint
 * @param {Pair} pair
 * @param {{ onName: (name: string) => void, onValue: (value: string) => void, onRemove: () => void }} told
 */
export const filterRow = (endpoint, [name, value], { onName, onValue, onRemove }) => {
  const field = endpoint.fields.find((each) => each.name === fieldOf(name))
  const operator = field?.operators.find((each) => each.name === name)
  const names = endpoint.fields.map((each) => /** @type {const} */ ([each.name, each.name]))
  const fields = dropDown(names, field ? field.name : name, 'Field', onName)
  const operators = (field?.operators ?? []).filter(
    (each) => each.operator !== 'in' && each.operator !== 'eq',
  )
  const named = operators.map((each) => /** @type {const} */ ([each.name, each.meaning]))
  const comparison = dropDown(named, name, `Comparison of ${fieldOf(name)}`, onName)
  const remove = make('button', { type: 'button', 'aria-label': `Remove the filter ${name}` }, '×')
  remove.addEventListener('click', onRemove)
  const box = make('div', { class: 'value' }, valueControl(operator, name, value, onValue))
  // An unknown field has no operators.
  return make('div', { class: 'filter' }, fields, field ? comparison : make('span'), remove, box)
}

/** @param {Control} control @param {string} value @param {(value: string) => void} onChange */
const sortControl = ({ choices, fallback }, value, onChange) => {
  const [first = ''] = splitList(value || fallback)
  const isReversed = first.startsWith('-')
  const select = dropDown(
    choices.map((each) => [each, each]),
    first.replace(/^-/, ''),
    'Sort by',
    () => tell(),
  )
  const box = make('input', { type: 'checkbox' })
  box.checked = isReversed
  const tell = () => onChange((box.checked ? '-' : '') + select.value)
  box.addEventListener('change', tell)
  return make('div', { class: 'pair' }, select, make('label', {}, box, 'reversed'))
}

/** Those that are seldom needed stand together, folded. */
const common = new Set(['sort', 'limit', 'include', 'count'])

/** @param {Control} control @param {string} value @param {(value: string) => void} onChange */
const controlOf = (control, value, onChange) => {
  const { name, choices, description, example, fallback } = control
  const id = freshId()
  const label = make('label', { for: id }, name)
  if (name === 'sort') {
    return make(
      'div',
      { class: 'control' },
      make('span', { class: 'label' }, 'sort'),
      sortControl(control, value, onChange),
    )
  }
  if (name === 'include' || name === 'resources') {
    if (choices.length > 0) {
      const boxes = checkboxes(choices, splitList(value), name, (chosen) => onChange(chosen.join(',')))
      return make('div', { class: 'control' }, boxes)
    }
  } else if (choices.length > 0) {
    const select = dropDown(
      [['', 'not sent'], ...choices.map((each) => /** @type {const} */ ([each, each]))],
      value,
      name,
      onChange,
    )
    select.id = id
    select.removeAttribute('aria-label')
    return make('div', { class: 'control' }, label, select, make('p', { class: 'hint' }, description))
  }
  const isNumber = control.maximum !== undefined
  const how = isNumber
    ? { type: 'number', min: String(control.minimum ?? 0), max: String(control.maximum) }
    : {}
  const input = textField(value, { id, placeholder: fallback || `e.g. ${example}`, ...how }, onChange)
  return make('div', { class: 'control' }, label, input, make('p', { class: 'hint' }, description))
}

/**
 * @param {Endpoint} endpoint
 * @param {(name: string) => string} sentValue
 * @param {(name: string, value: string) => void} onChange an empty value: the parameter is not sent
 */
export const controlList = (endpoint, sentValue, onChange) => {
  // A format that is the only one is no choice.
  // The search has a box of its own.
  const shown = endpoint.controls.filter(
    ({ name, choices }) => name !== 'q' && (name !== 'format' || choices.length > 1),
  )
  const draw = (/** @type {Control} */ control) =>
    controlOf(control, sentValue(control.name), (value) => onChange(control.name, value))
  const [often, seldom] = [
    shown.filter(({ name }) => common.has(name)),
    shown.filter(({ name }) => !common.has(name)),
  ]
  if (often.length === 0) return seldom.map(draw)
  if (seldom.length === 0) return often.map(draw)
  const isUsed = seldom.some(({ name }) => sentValue(name) !== '')
  return [
    ...often.map(draw),
    make('details', { open: isUsed }, make('summary', {}, 'More'), ...seldom.map(draw)),
  ]
}
