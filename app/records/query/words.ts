import { accents, letters, longestWord, spellings } from '../../../schemas/letters.ts'
import type { Parsed } from '../../lists/values.ts'
import { describeAccident, isAccident } from '../../lists/values.ts'

export const maxWords = 5
const shortestWord = 2

const asClass = (ranges: string) =>
  ranges
    .trim()
    .replace(/[\da-f]+/g, (point) => `\\u{${point}}`)
    .replace(/\s+/g, '')

const accent = new RegExp(`[${asClass(accents)}]+`, 'gu')
const separator = new RegExp(`[^a-z0-9${asClass(letters)}]+`, 'u')
const spelled = new RegExp(`[${Object.keys(spellings).join('')}]`, 'gu')

/** Splits a text into words without case and accents, as the database's `fold_words` does (`04-words.sql`). */
export const foldWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(accent, '')
    .toLowerCase()
    .replace(spelled, (letter) => spellings[letter] as string)
    .split(separator)
    .filter((word) => word !== '')

const expected = `expected 1 to ${maxWords} words of ${shortestWord} to ${longestWord} letters or digits; anything else ends a word`

/** Parses `q`: sorted words, each once, so that equivalent queries have the same text. */
export const parseWords = (text: string): Parsed => {
  if (isAccident(text))
    return { detail: `${describeAccident(text)}; to search for this very word, send its beginning` }
  const words = [...new Set(foldWords(text))].sort()
  const hasLength = (word: string) => {
    const { length } = [...word]
    return length >= shortestWord && length <= longestWord
  }
  const isRight = words.length > 0 && words.length <= maxWords && words.every(hasLength)
  return isRight ? { value: words.join(' ') } : { detail: expected }
}
