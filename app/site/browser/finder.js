import { createSearch, mostResults, toWords } from './search.js'
import { make } from './ui.js'

/** @typedef {import('./search.js').Entry} Entry */

/** Maximum number of characters of the text below a result. */
const excerptLength = 110

/** @type {Promise<ReturnType<typeof createSearch>> | undefined} */
let loading
const loadSearch = () => {
  loading ??= fetch('/docs/search.json')
    .then((answer) => answer.json())
    .then(createSearch)
  // After a failure, the next key press loads again.
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

/** Returns the text around the first match, or its beginning. @param {Entry} entry @param {string} query */
const excerpt = ({ text }, query) => {
  const [word = ''] = toWords(query)
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40)
  const from = at === 0 ? 0 : text.indexOf(' ', at) + 1
  const rest = text.slice(from)
  const shown =
    rest.length <= excerptLength ? rest : `${rest.slice(0, rest.lastIndexOf(' ', excerptLength))} …`
  return `${from > 0 ? '… ' : ''}${shown}`
}

/** @param {Entry} entry @param {string} query */
const renderResult = (entry, query) =>
  make(
    'li',
    {},
    make(
      'a',
      { href: entry.path },
      make('strong', {}, entry.part || entry.title),
      make('small', {}, entry.part ? `${entry.title}: ${excerpt(entry, query)}` : excerpt(entry, query)),
    ),
  )

/** @param {number} count @param {string} query */
const countWords = (count, query) => {
  if (query === '') return 'Type a word.'
  if (count === 0) return `Nothing found for “${query}”.`
  if (count === mostResults) return `The ${mostResults} best results`
  return count === 1 ? '1 result' : `${count} results`
}

const createFinder = () => {
  const input = make('input', {
    type: 'text',
    placeholder: 'Search guides, endpoints and errors',
    'aria-label': 'Search guides, endpoints and errors',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const said = make('p', { role: 'status' }, 'Type a word, such as “etag” or “valid_until”.')
  const list = make('ul', {})
  const dialog = make('dialog', { class: 'finder', 'aria-label': 'Search' }, input, said, list)
  const show = async () => {
    const query = input.value
    try {
      const found = (await loadSearch())(query)
      // The user has typed on while the index was loading.
      if (query !== input.value) return
      said.textContent = countWords(found.length, query.trim())
      list.replaceChildren(...found.map((entry) => renderResult(entry, query)))
    } catch {
      said.textContent = 'The search could not be loaded. Check your network and try again.'
    }
  }
  input.addEventListener('input', show)
  dialog.addEventListener('keydown', (event) => {
    const stops = [input, ...list.querySelectorAll('a')]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const at = stops.indexOf(/** @type {HTMLInputElement} */ (document.activeElement))
      stops[(at + step + stops.length) % stops.length]?.focus()
    } else if (event.key === 'Enter' && document.activeElement === input) {
      list.querySelector('a')?.click()
    }
  })
  dialog.addEventListener('click', (event) => {
    const isLink = event.target instanceof Element && event.target.closest('a') !== null
    // The target of a click outside of the dialog is the dialog itself. A link may lead to this same page.
    if (isLink || event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  return { dialog, input }
}

/** @type {ReturnType<typeof createFinder> | undefined} */
let finder

export const showFinder = () => {
  finder ??= createFinder()
  finder.dialog.showModal()
  finder.input.select()
  loadSearch().catch(() => {})
}
