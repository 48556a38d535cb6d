/**
 * Searches guides, endpoints and errors. Works without a browser, for tests.
 * @typedef {{ title: string, part: string, path: string, text: string, isForOperators?: boolean }} Entry
 * @typedef {{ entry: Entry, text: string, heading: Set<string>, titles: Set<string>, words: Set<string> }} Prepared
 */

export const mostResults = 12
/** Weight of a match in a title or heading. A match in the text has the weight 1. */
const titleWeight = 8
/** Factors of endpoints and errors, and of guides for operators. Guides for integrators have 1. */
const [referenceFactor, operatorFactor] = [0.65, 0.6]

const stopWords = new Set(
  'a an and are by can do does for from how i in is it me my of on or the to use what where with you your'.split(
    ' ',
  ),
)

/** Splits a text into words. `valid_until` gives `valid_until`, `valid` and `until`. @param {string} text @returns {string[]} */
const split = (text) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word]))
    .filter(Boolean)

/** Drops stop words, unless the query has no other words. @param {string} query @returns {string[]} */
export const toWords = (query) => {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter(Boolean)
  const telling = words.filter((word) => !stopWords.has(word))
  return telling.length > 0 ? telling : words
}

/** Removes an ending, as in "countries", "expired" and "paging". @param {string} word */
const stem = (word) => word.replace(/(?<=...)(?:ing|ied|ies|ed|es|s|y)$/, '')

/** Whether two words differ by one letter: added, missing, wrong or swapped. @param {string} a @param {string} b */
const isNear = (a, b) => {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  const [restA, restB] = [a.slice(i), b.slice(i)]
  return (
    restA.slice(1) === restB.slice(1) ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  )
}

/** Returns 1 for the word itself, less for similar words, else 0. @param {Set<string>} words @param {string} word */
const match = (words, word) => {
  if (words.has(word)) return 1
  const root = stem(word)
  let best = 0
  for (const each of words) {
    if (each.startsWith(word)) best = 0.9
    else if (best === 0 && each.startsWith(root)) best = 0.7
  }
  return best
}

/** @param {Entry} entry @returns {Prepared} */
const prepare = (entry) => ({
  entry,
  text: entry.text.toLowerCase(),
  heading: new Set(split(entry.part || entry.title)),
  titles: new Set(split(`${entry.title} ${entry.part}`)),
  words: new Set(split(entry.text)),
})

/** @param {Prepared} prepared @param {string[][]} alternatives for each word of the query, spellings that exist */
const rate = ({ entry, text, heading, titles, words }, alternatives) => {
  /** @param {string} word */
  const rateWord = (word) => {
    const score = titleWeight * match(titles, word) || match(words, word)
    // Of two equal matches, the shorter heading and the text with more occurrences rank first.
    const share = match(heading, word) / heading.size
    return score === 0 ? 0 : score + share + Math.min(9, text.split(word).length - 1) / 10
  }
  const scores = alternatives.map((each) => Math.max(0, ...each.map(rateWord)))
  const isGuide = entry.path.startsWith('/docs/guides/')
  const factor = entry.isForOperators ? operatorFactor : isGuide ? 1 : referenceFactor
  return {
    entry,
    found: scores.filter((score) => score > 0).length,
    score: factor * scores.reduce((sum, each) => sum + each, 0),
  }
}

/** Returns a function that finds entries. Those with most words of the query rank first. @param {Entry[]} entries */
export const createSearch = (entries) => {
  const prepared = entries.map(prepare)
  const vocabulary = new Set(prepared.flatMap(({ titles, words }) => [...titles, ...words]))
  /** Replaces a word that occurs nowhere by words that differ by one letter. @param {string} word */
  const correct = (word) =>
    match(vocabulary, word) > 0 || word.length < 4
      ? [word]
      : [...vocabulary].filter((known) => isNear(word, known))
  /** @param {string} query @returns {Entry[]} */
  return (query) => {
    const alternatives = toWords(query).map(correct)
    return prepared
      .map((each) => rate(each, alternatives))
      .filter(({ found }) => found > 0)
      .sort((a, b) => b.found - a.found || b.score - a.score)
      .slice(0, mostResults)
      .map(({ entry }) => entry)
  }
}
