/** Of a cell in Excel, in UTF-16 code units. */
const maxCharacters = 32_767

/** The end of a text that is longer than a cell. */
export const cutMark = ' … [cut: a cell holds 32,767 characters]'

const highSurrogate = /[\ud800-\udbff]$/

const cut = (text: string): string =>
  text.length <= maxCharacters
    ? text
    : text.slice(0, maxCharacters - cutMark.length).replace(highSurrogate, '') + cutMark

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Characters that XML cannot hold or changes (CR), and an underscore that looks like the start of an escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape.
const special = /[&<>\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=[xX][\dA-Fa-f]{4})/g

/** `_xHHHH_` is a character in ST_Xstring (ECMA-376 part 1, 22.9.2.19). */
const escapeCharacter = (character: string): string =>
  entities[character] ?? `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`

/** Cuts a text to the limit of a cell, with a mark, and escapes it for SpreadsheetML. */
export const escapeText = (text: string): string => cut(text).replace(special, escapeCharacter)
