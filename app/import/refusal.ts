import { resources } from '../records/resources/index.ts'
import type { ParsedLine } from './line.ts'

const programLimitExceeded = '54000'
const numericValueOutOfRange = '22003'
const maxInteger = 2_147_483_647
const maxWordsBytes = 1_048_575

const format = (number: number) => number.toLocaleString('en')

/** Lists the numbers of a value that no column of PostgreSQL's type `integer` can hold, by their paths. */
const listLargeNumbers = (value: unknown, path: string): [path: string, value: number][] => {
  if (typeof value === 'number') return Math.abs(value) > maxInteger ? [[path, value]] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    listLargeNumbers(inner, path === '' ? name : `${path}.${name}`),
  )
}

const describeWords = ({ key, record }: ParsedLine): string => {
  const { search } = resources[key.resource]
  const sizes = search.map((field) => [field, [record[field] ?? []].flat().join(' ').length] as const)
  const [largest = ''] = sizes.toSorted(([, a], [, b]) => b - a)[0] ?? []
  const { length } = [record[largest] ?? []].flat()
  const fields = search.length > 1 ? `${search.slice(0, -1).join(', ')} and ${search.at(-1)}` : largest
  return `${largest}: ${format(length)} values are too many for the search: the words of ${fields}, each with the resource and the customer, have at most ${format(maxWordsBytes)} bytes; divide the record into several`
}

/** Describes the database's refusal of a line: the field, the bound and the next step for its limits. */
export const describeRefusal = (error: Error, line: ParsedLine): string => {
  const code = 'code' in error ? error.code : undefined
  if (code === programLimitExceeded && error.message.includes('bytes of words')) return describeWords(line)
  const large = code === numericValueOutOfRange ? listLargeNumbers(line.record, '') : []
  if (large.length > 0) {
    const found = large.map(
      ([path, value]) => `${path}: expected at most ${format(maxInteger)}; found ${value}`,
    )
    return found.join('; ')
  }
  return `the database refuses this record: ${error.message}`
}
