/** Returns YYYY-MM-DD, also for a day that does not exist. `undefined` if the text has another form. */
export type DateReader = (text: string) => string | undefined

const form = /^(?:DD?|MM?|YYYY)(?:[^\w\s]+|\s)\s?(?:DD?|MM?|YYYY)(?:[^\w\s]+|\s)\s?(?:DD?|MM?|YYYY)\W?$/

const groups: Readonly<Record<string, string>> = {
  D: '(?<day>\\d{1,2})',
  M: '(?<month>\\d{1,2})',
  Y: '(?<year>\\d{4})',
}

/** Creates a reader of dates such as `DD.MM.YYYY`. It also reads `1.2.2026`. Throws for an invalid form. */
export const createDateReader = (wanted: string): DateReader => {
  const parts = wanted.match(/D+|M+|Y+/g)?.map((part) => part[0]) ?? []
  if (!form.test(wanted) || new Set(parts).size !== 3) {
    throw new Error('expected DD, MM and YYYY with a sign between them, such as DD.MM.YYYY')
  }
  const source = wanted.replaceAll(/D+|M+|Y+|\W/g, (part) => groups[part[0] as string] ?? `\\${part}`)
  const pattern = new RegExp(`^${source}$`)
  return (text) => {
    const { day = '', month = '', year } = pattern.exec(text.trim())?.groups ?? {}
    return year && `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  }
}
