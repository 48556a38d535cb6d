/** Throws if the first match is missing or not of this `kind`. @template {Element} T @param {string} selector @param {{ new (): T }} kind @param {ParentNode} [root] @returns {T} */
export const find = (selector, kind, root = document) => {
  const found = root.querySelector(selector)
  if (found instanceof kind) return found
  throw new Error(`there is no ${selector}`)
}

/**
 * Creates an element. Strings become text, never markup.
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

/** The button copies the text of the `<pre>` in `box`. @param {HTMLElement} box */
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
