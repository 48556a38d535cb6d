/** Returns the plural of a regular English noun, such as `authorities` or `statuses`. */
export const plural = (word: string): string => {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return word.endsWith('s') ? `${word}es` : `${word}s`
}

export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
