/** Octets of a line without its end (RFC 5545, section 3.1). */
const mostBytes = 75

const special = /[\\;,]|\r\n|\r|\n/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are not allowed in a text.
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: see `forbidden`.
const isPlain = (text: string): boolean => !/[\\;,\u0000-\u001f\u007f]/.test(text)

const escapeCharacter = (found: string): string =>
  found === '\\' || found === ';' || found === ',' ? `\\${found}` : '\\n'

/** Escapes a text (RFC 5545, section 3.3.11). Removes control characters, which no text may contain. */
export const escapeText = (text: string): string =>
  isPlain(text) ? text : text.replace(forbidden, '').replace(special, escapeCharacter)

const countBytes = (character: string): number => {
  const code = character.codePointAt(0) as number
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

const foldByCharacter = (line: string): string => {
  let folded = ''
  let bytes = 0
  for (const character of line) {
    const size = countBytes(character)
    if (bytes + size > mostBytes) {
      folded += '\r\n '
      bytes = 1
    }
    folded += character
    bytes += size
  }
  return folded
}

const isAscii = (text: string): boolean => /^[\t\x20-\x7e]*$/.test(text)

/** Most lines: a character is one octet. */
const foldAscii = (line: string): string => {
  let folded = line.slice(0, mostBytes)
  for (let at = mostBytes; at < line.length; at += mostBytes - 1) {
    folded += `\r\n ${line.slice(at, at + mostBytes - 1)}`
  }
  return folded
}

/** Folds a line after 75 octets, never within a character, and ends it. See docs/decisions/0275-the-calendar-is-written-by-hand.md. */
export const formatLine = (line: string): string =>
  `${isAscii(line) ? foldAscii(line) : foldByCharacter(line)}\r\n`
