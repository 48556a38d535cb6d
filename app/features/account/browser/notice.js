import { make } from '../../../site/browser/ui.js'
import { Refusal } from './account-session.js'

/**
 * Shows a message in `box`, which takes the focus.
 * @param {HTMLElement} box @param {string} title @param {string} text @param {'bad' | ''} [tone]
 */
export const fillNotice = (box, title, text, tone = 'bad') => {
  box.className = `notice ${tone}`
  box.setAttribute('role', tone === 'bad' ? 'alert' : 'status')
  box.replaceChildren(make('p', {}, make('strong', {}, title)), make('p', {}, text))
  box.focus()
}

/** @param {HTMLElement} box */
export const clearNotice = (box) => {
  box.className = ''
  box.removeAttribute('role')
  box.replaceChildren()
}

/** @param {HTMLElement} box @param {unknown} error */
export const showFault = (box, error) => {
  if (error instanceof Refusal && error.isShown) return
  if (error instanceof Refusal) fillNotice(box, 'The service refused the request.', error.message)
  else fillNotice(box, 'The service could not be reached.', 'Check your network and try again.')
}
