import { showFinder } from './finder.js'
import { addCopyButton } from './ui.js'

/** What every page has: copy buttons beside its code, and the search. */

for (const box of document.querySelectorAll('[data-copy]')) addCopyButton(/** @type {HTMLElement} */ (box))

for (const opener of document.querySelectorAll('[data-search]')) {
  opener.removeAttribute('hidden')
  opener.addEventListener('click', () => showFinder())
}

/** @param {EventTarget | null} target whether keys are text there */
const isTyping = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'))

addEventListener('keydown', (event) => {
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !isTyping(event.target)
  if (isSlash && !document.querySelector('dialog[open]')) {
    event.preventDefault()
    showFinder()
  }
})
