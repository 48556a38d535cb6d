import { find, make } from './ui.js'

/**
 * @typedef {import('./answer.js').Answer} Answer
 * @typedef {{ parameter?: string, pointer?: string, code: string, detail: string, did_you_mean?: string }} Fault
 */

/**
 * @param {Fault} fault
 * @param {(fault: Fault) => void} mend
 */
const describeFault = (fault, mend) => {
  const { parameter, pointer, detail, did_you_mean: better } = fault
  const said = make('p', {}, make('code', {}, parameter ?? pointer ?? ''), ` ${detail}`)
  if (better === undefined) return make('li', {}, said)
  const button = make('button', { type: 'button', class: 'quiet' }, `Use ${better}`)
  button.addEventListener('click', () => {
    mend(fault)
    button.replaceWith(make('span', { class: 'good' }, `Now ${better}.`))
    find('#send', HTMLElement).focus()
  })
  return make('li', {}, said, button)
}

/** @param {string} corrected @param {(search: string) => void} send */
const correctedButton = (corrected, send) => {
  const button = make('button', { type: 'button', class: 'main' }, 'Send the corrected query')
  button.addEventListener('click', () => send(new URL(corrected).search))
  return button
}

/**
 * Shows the faults of a refusal, with buttons that correct them. Shows nothing if the answer is no refusal.
 * @param {Answer} answer
 * @param {(fault: Fault) => void} mend takes what was suggested
 * @param {(search: string) => void} sendCorrected
 */
export const showFaults = ({ status, body }, mend, sendCorrected) => {
  const box = find('#faults', HTMLElement)
  if (status < 400 || body === undefined) return box.replaceChildren()
  const about = make('a', { href: new URL(body.type).pathname }, `About ${body.code}`)
  const faults = (body.errors ?? []).map((/** @type {Fault} */ fault) => describeFault(fault, mend))
  box.replaceChildren(
    make(
      'div',
      { class: 'notice bad' },
      make('p', {}, make('strong', {}, body.detail), ' ', about),
      make('ul', { class: 'faults' }, ...faults),
      body.try === undefined ? undefined : correctedButton(body.try, sendCorrected),
    ),
  )
}
