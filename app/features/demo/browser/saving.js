import { find, make } from '../../../site/browser/ui.js'
import { milliseconds, number } from '../../../site/browser/units.js'
import { countBytes, send } from './answer.js'
import { token } from './stage.js'

const target = '/v1/countries?limit=500'

/** @param {import('./answer.js').Answer} full @param {import('./answer.js').Answer} empty */
const show = (full, empty) => {
  const head = ['Answer', 'Sent', 'JSON', 'Time'].map((text) => make('th', { scope: 'col' }, text))
  const row = (/** @type {string} */ name, /** @type {import('./answer.js').Answer} */ answer) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, name),
      make('td', {}, `${number(countBytes(answer))} bytes`),
      make('td', {}, `${number(new TextEncoder().encode(answer.text).length)} bytes`),
      make('td', {}, milliseconds(answer.ms)),
    )
  find('#compare', HTMLElement).replaceChildren(
    make(
      'table',
      { 'aria-labelledby': 'saving-title' },
      make('thead', {}, make('tr', {}, ...head)),
      make('tbody', {}, row(`200, ${full.body.data.length} records`, full), row('304, not modified', empty)),
    ),
  )
}

const askTwice = async () => {
  const full = await send(target, token)
  const etag = full.headers.get('etag')
  if (full.status !== 200 || etag === null) return `The service answered ${full.status}. Try again later.`
  const empty = await send(target, token, etag)
  show(full, empty)
  return `The second answer is ${empty.status}: ${number(countBytes(full))} bytes were not sent again.`
}

/** Starts the button that sends the same request twice, the second time with the ETag. */
export const startSaving = () => {
  const said = find('#saving-said', HTMLElement)
  find('#twice', HTMLElement).addEventListener('click', async () => {
    said.textContent = 'Asking …'
    said.textContent = await askTwice().catch((/** @type {Error} */ { message }) => message)
  })
}
