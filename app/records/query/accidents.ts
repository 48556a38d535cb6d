/** Texts that a program writes for a missing value or an object. */
const written: ReadonlySet<string> = new Set(['undefined', 'null', 'NaN', '[object Object]'])

const isJson = (text: string): boolean => {
  if (!/^\s*[[{].*[\]}]\s*$/s.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What Postman fills in for a type (`<string>`), and sends for a variable without a value (`{{brand}}`). */
const placeholder =
  /^(?:<(?:string|number|integer|long|float|double|boolean|date|dateTime|uuid)>|\{\{[^{}]*\}\})$/

/** Whether a text is a client's accident: a missing value, a placeholder, or an object or array of JSON. */
export const isAccident = (text: string): boolean =>
  written.has(text) || placeholder.test(text) || isJson(text)

/** Whether only `[eq]` and `[ne]` take the text: an accident, or empty text. */
export const isExplicitOnly = (text: string): boolean => text === '' || isAccident(text)

const shorten = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** Explains the accident. */
export const describeAccident = (text: string): string =>
  `got ${shorten(text)}, which a program writes for a missing value or an object: expected text`
