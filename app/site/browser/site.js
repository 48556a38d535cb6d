import { showFinder } from './finder.js'
import { addCopyButton } from './ui.js'

for (const box of document.querySelectorAll('[data-copy]')) addCopyButton(/** @type {HTMLElement} */ (box))

for (const opener of document.querySelectorAll('[data-search]')) {
  opener.removeAttribute('hidden')
  opener.addEventListener('click', () => showFinder())
}

/** True for a visible field: the field of a closed dialog keeps the focus until the next frame. @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement &&
  target.getClientRects().length > 0 &&
  (target.isContentEditable || target.matches('input, select, textarea'))

addEventListener('keydown', (event) => {
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !isTyping(event.target)
  if (isSlash && !document.querySelector('dialog[open]')) {
    event.preventDefault()
    showFinder()
  }
})
