import { quoteText } from './quote.ts'

// See docs/decisions/0185-the-import-trims-on-request.md.

// Every white space, no-break spaces among them, zero-width characters and the byte order mark.
const blank = '[\\s\\u200b-\\u200d\\u2060]'
const outer = new RegExp(`^${blank}+|${blank}+$`, 'g')
const hasOuter = new RegExp(`^${blank}|${blank}$`)
/** Without joiners (U+200C, U+200D), which words of Persian and emoji need. */
const inner = /[\u00a0\u2007\u202f\u200b\u2060\ufeff]/
const garbled = /[\u0080-\u009f\ufffd]/

/** Removes blanks and zero-width characters at the ends of every text in a value. Counts the changed texts. */
export const trimTexts = (value: unknown): { value: unknown; count: number } => {
  let count = 0
  const trim = (each: unknown): unknown => {
    if (typeof each === 'string') {
      if (!hasOuter.test(each)) return each
      count += 1
      return each.replace(outer, '')
    }
    if (Array.isArray(each)) return each.map(trim)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([name, inside]) => [name, trim(inside)]))
  }
  return { value: trim(value), count }
}

const describeText = (text: string): string | undefined => {
  if (hasOuter.test(text))
    return `blanks at an end, which filters do not ignore; found ${quoteText(text)}; --trim removes them`
  if (inner.test(text))
    return `a no-break space or a character without width, which filters do not ignore; found ${quoteText(text)}`
  if (garbled.test(text))
    return `a control or replacement character, as of a wrong encoding; found ${quoteText(text)}`
  return undefined
}

/** Warns of characters in the texts and lists of texts of a record that people do not see, once for each field. */
export const listUnseen = (record: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(record).flatMap(([field, value]) => {
    const texts = Array.isArray(value) ? value : [value]
    for (const text of texts) {
      const reason = typeof text === 'string' ? describeText(text) : undefined
      if (reason !== undefined) return [`${field}: ${reason}`]
    }
    return []
  })
