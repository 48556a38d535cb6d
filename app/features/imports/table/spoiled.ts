type Sighting = { line: number; text: string }
type ColumnDigits = { padded?: Sighting; plain?: Sighting; isReported?: true }

const shortened = /^\d(?:[.,]\d+)?E\+\d\d+$/i
const digits = /^\d{1,20}$/

const keepBy = (isBetter: boolean, before: Sighting | undefined, seen: Sighting) =>
  before === undefined || isBetter ? seen : before

/** Returns a function that warns of numbers that Excel shortened, and once per column of removed zeros. */
export const createSpoiledCheck = (): ((field: string, text: string, line: number) => string[]) => {
  const columns = new Map<string, ColumnDigits>()
  return (field, text, line) => {
    if (shortened.test(text)) return [`${field}: ${text} is a number that Excel has shortened`]
    if (!digits.test(text)) return []
    const column = columns.get(field) ?? {}
    columns.set(field, column)
    const { padded, plain } = column
    const seen = { line, text }
    if (text.startsWith('0')) column.padded = keepBy(text.length > (padded?.text.length ?? 0), padded, seen)
    else column.plain = keepBy(text.length < (plain?.text.length ?? 0), plain, seen)
    return describeLost(field, column)
  }
}

const describeLost = (field: string, column: ColumnDigits): string[] => {
  const { padded, plain, isReported } = column
  if (isReported || !padded || !plain || plain.text.length >= padded.text.length) return []
  column.isReported = true
  return [
    `${field}: Excel may have removed zeros from ${plain.text} (line ${plain.line}): line ${padded.line} has ${padded.text}; this is reported once`,
  ]
}
