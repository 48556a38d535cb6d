import { make } from './ui.js'

/**
 * The search: one file lists every section of the guides, every endpoint and every error. It is loaded when someone
 * searches for the first time.
 * @typedef {{ title: string, part: string, path: string, text: string }} Entry
 */

const most = 12
/** Characters of a text beside its heading. */
const excerptLength = 110

/** @type {Promise<Entry[]> | undefined} */
let loading
const loadEntries = () => {
  loading ??= fetch('/docs/search.json').then((answer) => answer.json())
  // A failed load is tried again with the next letter.
  loading.catch(() => {
    loading = undefined
  })
  return loading
}

/** @param {string} text @param {string} word @returns {number} a word's beginning counts more than its middle */
const weigh = (text, word) => {
  const at = text.indexOf(word)
  if (at < 0) return 0
  return at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? 2 : 1
}

/**
 * Returns the entries that contain every word, the best first.
 * @param {Entry[]} entries @param {string} query
 */
export const search = (entries, query) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => {
      const [part, title, text] = [entry.part, entry.title, entry.text].map((each) => each.toLowerCase())
      const scores = words.map(
        (word) => 8 * weigh(part ?? '', word) + 4 * weigh(title ?? '', word) + weigh(text ?? '', word),
      )
      return { entry, score: scores.includes(0) ? 0 : scores.reduce((sum, each) => sum + each, 0) }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ entry }) => entry)
}

/** @param {Entry} entry @param {string} query the words around the first match, or the beginning */
const excerpt = ({ text }, query) => {
  const [word = ''] = query.toLowerCase().trim().split(/\s+/)
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40)
  const from = at === 0 ? 0 : text.indexOf(' ', at) + 1
  const rest = text.slice(from)
  const shown =
    rest.length <= excerptLength ? rest : `${rest.slice(0, rest.lastIndexOf(' ', excerptLength))} …`
  return `${from > 0 ? '… ' : ''}${shown}`
}

/** @param {Entry} entry @param {string} query */
const resultOf = (entry, query) =>
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
  if (count === most) return `The ${most} best results`
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
      const found = search(await loadEntries(), query)
      // A later letter has asked again.
      if (query !== input.value) return
      said.textContent = countWords(found.length, query.trim())
      list.replaceChildren(...found.map((entry) => resultOf(entry, query)))
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
    // A click beside the dialog hits the dialog itself. A link within this page leaves the page where it is.
    if (isLink || event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  return { dialog, input }
}

/** @type {ReturnType<typeof createFinder> | undefined} */
let finder

/** Opens the search. The browser keeps the focus in it, and gives the focus back afterwards. */
export const showFinder = () => {
  finder ??= createFinder()
  finder.dialog.showModal()
  finder.input.select()
  loadEntries().catch(() => {})
}
