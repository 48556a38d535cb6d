/** Usual separators of lists in the tables of a house. `+` and `/` need blanks: `IEC 62368-1/A11` is one standard. */
export const usualSeparators = [';', ',', ' + ', ' / ', '|', ' und ', ' and ', '\n'] as const

const decimalComma = /(?<=\d),(?=\d)/g

/** Lists the usual separators in a text of a list, without those that have split it. A comma in a number is none. */
export const listUnsplit = (text: string, separators: readonly string[] = [';']): string[] => {
  const plain = text.replaceAll(decimalComma, '')
  return usualSeparators.filter((each) => !separators.includes(each) && plain.includes(each))
}

/** Formats the part of a map that names separators: `split ";" " + "`. */
export const formatSplit = (separators: readonly string[]): string =>
  `split ${separators.map((separator) => JSON.stringify(separator)).join(' ')}`
