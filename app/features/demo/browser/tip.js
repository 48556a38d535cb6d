import { make } from '../../../site/browser/ui.js'

/** Shows a tooltip below a table cell, on hover and on focus. @param {HTMLElement} box @param {WeakMap<Element, () => Node[]>} contents by cell */
export const addTip = (box, contents) => {
  const tip = make('div', { class: 'tip', 'aria-hidden': 'true' })
  tip.hidden = true
  box.append(tip)
  const show = (/** @type {Event} */ { target }) => {
    const cell = target instanceof Element ? target.closest('td, th') : null
    const content = cell && contents.get(cell)
    tip.hidden = !content
    if (!cell || !content) return
    tip.replaceChildren(...content())
    const [outer, inner] = [box.getBoundingClientRect(), cell.getBoundingClientRect()]
    const left = inner.left - outer.left + inner.width / 2 - tip.offsetWidth / 2
    tip.style.left = `${Math.max(0, Math.min(left, outer.width - tip.offsetWidth))}px`
    tip.style.top = `${inner.bottom - outer.top + 6}px`
  }
  const hide = () => {
    tip.hidden = true
  }
  box.addEventListener('pointerover', show)
  box.addEventListener('focusin', show)
  box.addEventListener('pointerleave', hide)
  box.addEventListener('focusout', hide)
  box.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide()
  })
}
