const c1Control = /[\u0080-\u009f]/

// See docs/decisions/0184-a-guessed-encoding-needs-plausible-text.md.

/** Characters of the bytes 80 to 9F that are letters, and quotes and signs next to letters. */
const doubtful = [
  c1Control,
  /[ŠšŒœŽžŸƒˆ˜]/u,
  // Between two letters only an apostrophe is usual.
  /\p{L}[^\p{ASCII}\p{L}’]+\p{L}/u,
  /\p{L}µ\p{L}/u,
  // In code page 850, these are ú, í, ó, ñ, Ñ, é, à, å, ç and ë.
  /\p{L}[¡-¥‚…†‡‰‹]/u,
  /(?<!\p{L})[€†‡‰‹]\p{L}/u,
  // ß of code page 850 is á, which is rare after these.
  /[aeiouäöüAEIOU]á/u,
]

const quoted = /(?<!\p{L})[„“‚‘][^„“”‚‘’\r\n]*[“”‘’](?!\p{L})/gu

/**
 * Whether text that was read as Windows-1252 may be Windows-1252. False for C1 controls, and for letters and signs
 * where words of German, French and Spanish in code page 437 or 850 have an accent.
 */
export const isPlausible = (text: string): boolean => {
  const unquoted = text.replace(quoted, (whole) => ` ${whole.slice(1, -1)} `)
  return !doubtful.some((pattern) => pattern.test(unquoted))
}

/** Whether text has a C1 control, which no text in Windows-1252 has. */
export const hasC1Control = (text: string): boolean => c1Control.test(text)

const oddWord = /[a-z]{0,20}[\x80-\xff][a-z\x80-\xff]{0,20}/i

/** Returns the bytes of the first word beyond ASCII. Empty if there is none. */
export const findOddWord = (bytes: Buffer): Buffer =>
  Buffer.from(oddWord.exec(bytes.toString('latin1'))?.[0] ?? '', 'latin1')
