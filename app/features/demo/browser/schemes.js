/** In the words of a country's list: "CE marking also recognised in Great Britain". @param {string} name */
export const isAlternative = (name) => /\balso recognised\b/.test(name)

/**
 * Whether a record's scheme is the one that the country lists. An alternative is recognised by its first word.
 * @param {string} listed @param {readonly string[]} words
 */
const isNamed = (listed, words) => {
  const names = listed.split(/\W+/)
  return isAlternative(listed) ? names[0] === words[0] : words.every((word) => names.includes(word))
}

/** The name of a record without a scheme. */
export const withoutScheme = 'without a scheme'
/** A certificate counts only for the country that it names. */
export const nothingOnRecord = 'nothing on record for this country'

/**
 * Finds the record of each scheme that a country requires. The country's name of a scheme is longer than the record's:
 * "CE marking (RED 2014/53/EU)" is "CE RED". A record gets the first free scheme with all of its words. If
 * the first required scheme, which is for radio, has no match, it gets the first record that matches none.
 * @template {{ scheme?: string | null }} Entry
 * @param {readonly string[]} required
 * @param {readonly Entry[]} entries
 * @returns {{ required: string | undefined, entry: Entry | undefined }[]} required schemes, then unmatched records
 */
export const matchSchemes = (required, entries) => {
  /** @type {Map<string, Entry>} */
  const found = new Map()
  /** @type {Entry[]} */
  const rest = []
  for (const entry of entries) {
    const words = (entry.scheme ?? '').split(/\W+/)
    const name = required.find((each) => !found.has(each) && isNamed(each, words))
    if (name === undefined || words[0] === '') rest.push(entry)
    else found.set(name, entry)
  }
  const [radio] = required
  const [other] = rest
  if (radio !== undefined && other && !found.has(radio)) {
    found.set(radio, other)
    rest.shift()
  }
  return [
    ...required.map((name) => ({ required: name, entry: found.get(name) })),
    ...rest.map((entry) => ({ required: undefined, entry })),
  ]
}
