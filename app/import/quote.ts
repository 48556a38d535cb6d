const longestQuote = 80

/** Blanks other than a space, and characters without a shape or with an effect on a terminal. */
const unseen =
  /[\u007f-\u00a0\u00ad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\uffff]/g

/** Quotes a text of a file for a message: escaped, and at most 80 characters. */
export const quoteText = (text: string): string => {
  const short = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text
  return JSON.stringify(short).replace(
    unseen,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
