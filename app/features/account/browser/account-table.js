import { make } from '../../../site/browser/ui.js'

/** Makes a table that scrolls in its own box. @param {string} title @param {readonly string[]} heads @param {readonly (readonly (Node | string)[])[][]} rows @param {number} [counts] columns at the end with numbers */
export const table = (title, heads, rows, counts = 0) => {
  const toClass = (/** @type {number} */ at) => (at >= heads.length - counts ? 'count' : undefined)
  return make(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title },
    make(
      'table',
      { 'aria-label': title },
      make(
        'thead',
        {},
        make('tr', {}, ...heads.map((text, at) => make('th', { scope: 'col', class: toClass(at) }, text))),
      ),
      make(
        'tbody',
        {},
        ...rows.map((cells) =>
          make(
            'tr',
            {},
            ...cells.map((content, at) =>
              at === 0
                ? make('th', { scope: 'row' }, ...content)
                : make('td', { class: toClass(at) }, ...content),
            ),
          ),
        ),
      ),
    ),
  )
}

/** Makes the label of a state. @param {string} name */
export const tag = (name) => make('span', { class: `tag ${name}` }, name)
