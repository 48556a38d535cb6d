/**
 * What the pages share: finding elements, making them, saying figures.
 */

/**
 * @template {Element} T
 * @param {string} selector
 * @param {{ new (): T }} kind
 * @param {ParentNode} [root]
 * @returns {T}
 */
export const find = (selector, kind, root = document) => {
  const found = root.querySelector(selector)
  if (found instanceof kind) return found
  throw new Error(`there is no ${selector}`)
}

/**
 * An element with attributes and content; content is text, never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | boolean | undefined>} [attributes]
 * @param {...(Node | string | undefined)} content
 * @returns {HTMLElementTagNameMap[K]}
 */
export const make = (name, attributes = {}, ...content) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, '')
    else if (value !== undefined && value !== false) element.setAttribute(key, value)
  }
  element.append(...content.filter((each) => each !== undefined))
  return element
}

/** @param {HTMLElement} box the element whose <pre> is copied */
export const addCopyButton = (box) => {
  const button = make('button', { type: 'button', class: 'quiet' }, 'Copy')
  button.addEventListener('click', async () => {
    const text = box.querySelector('pre')?.textContent ?? ''
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    } catch {
      const range = document.createRange()
      range.selectNodeContents(/** @type {Node} */ (box.querySelector('pre')))
      getSelection()?.removeAllRanges()
      getSelection()?.addRange(range)
      button.textContent = 'Selected'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  box.append(button)
}

/**
 * A share in percent that never rounds a fault away: 0.99996 is "99.99 %", only 1 is "100 %".
 * @param {number | null | undefined} share
 */
export const percent = (share) => {
  if (share === null || share === undefined) return 'no data'
  if (share === 1) return '100 %'
  // 0.9999 * 100_000 is 99989.99…: what was lost to binary is given back before the rest is cut off.
  const digits = share >= 0.99 ? 3 : 1
  const scale = 10 ** digits
  return `${(Math.floor(share * 100 * scale + 1e-6) / scale).toFixed(digits)} %`
}

/** @param {number | null | undefined} ms */
export const milliseconds = (ms) => {
  if (ms === null || ms === undefined) return 'no data'
  if (ms >= 10_000) return `${(ms / 1000).toFixed(0)} s`
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(ms < 1 ? 2 : 1)} ms`
}

/** @param {number | null | undefined} count */
export const number = (count) =>
  count === null || count === undefined ? 'no data' : count.toLocaleString('en-GB')

/** In UTC, as everything the service says of time. */
export const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
export const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
/** @param {string} instant */
export const moment = (instant) => `${date.format(new Date(instant))}, ${time.format(new Date(instant))} UTC`

/** @param {number} seconds */
export const duration = (seconds) => {
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`
  return `${(minutes / 1440).toFixed(1)} days`
}
