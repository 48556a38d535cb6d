/** Returns YYYY-MM-DD, also for a day that does not exist. `undefined` if the text has another form. */
type ReadDate = (text: string) => string | undefined

/** `form`: as in `--dates`. */
export type DateReader = Readonly<{ form: string; read: ReadDate }>

const form = /^(?:DD?|MM?|YYYY)(?:[^\w\s]+|\s)\s?(?:DD?|MM?|YYYY)(?:[^\w\s]+|\s)\s?(?:DD?|MM?|YYYY)\W?$/

const groups: Readonly<Record<string, string>> = {
  D: '(?<day>\\d{1,2})',
  M: '(?<month>\\d{1,2})',
  Y: '(?<year>\\d{4})',
}

const shortMonths = [
  ['JAN'],
  ['FEB'],
  ['MAR', 'MRZ', 'MÄR'],
  ['APR'],
  ['MAY', 'MAI'],
  ['JUN'],
  ['JUL'],
  ['AUG'],
  ['SEP'],
  ['OCT', 'OKT'],
  ['NOV'],
  ['DEC', 'DEZ'],
]

const toCentury = (year: string): string => (year < '50' ? `20${year}` : `19${year}`)

/** Reads Oracle's dates: `31-JAN-2026`, with English and German months. Oracle's RR is 1950 to 2049. */
const createOracleReader = (yearDigits: 2 | 4): ReadDate => {
  const pattern = new RegExp(`^(\\d{1,2})-(\\p{L}{3})-(\\d{${yearDigits}})$`, 'u')
  return (text) => {
    const [, day = '', name = '', year = ''] = pattern.exec(text) ?? []
    const month = shortMonths.findIndex((names) => names.includes(name.toUpperCase())) + 1
    if (month === 0) return undefined
    const fullYear = yearDigits === 2 ? toCentury(year) : year
    return `${fullYear}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  }
}

const readOracleDate = createOracleReader(4)

/** A day, also with midnight as of a column of times (`2026-01-31 00:00:00`), or as of SAP (`20260131`). */
const certain = /^(\d{4})(-?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?:(?<=-\d\d)[ T]00:00(?::00(?:\.0+)?)?)?$/

/** Reads a date that has one meaning only, as YYYY-MM-DD. */
export const readCertainDate: ReadDate = (text) => {
  const [, year, , month, day] = certain.exec(text) ?? []
  return day === undefined ? readOracleDate(text) : `${year}-${month}-${day}`
}

/** Creates a reader of dates such as `DD.MM.YYYY`. It also reads `1.2.2026`.
 * `DD-MON-YY` is `31-JAN-26`. Throws for an invalid form. */
export const createDateReader = (wanted: string): DateReader => {
  if (/^DD?-MON-YY$/.test(wanted)) return { form: wanted, read: createOracleReader(2) }
  const parts = wanted.match(/D+|M+|Y+/g)?.map((part) => part[0]) ?? []
  if (!form.test(wanted) || new Set(parts).size !== 3) {
    throw new Error('expected DD, MM and YYYY with a sign between them, such as DD.MM.YYYY')
  }
  const source = wanted.replaceAll(/D+|M+|Y+|\W/g, (part) => groups[part[0] as string] ?? `\\${part}`)
  const pattern = new RegExp(`^${source}$`)
  const read: ReadDate = (text) => {
    const { day = '', month = '', year } = pattern.exec(text.trim())?.groups ?? {}
    return year && `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  }
  return { form: wanted, read }
}
