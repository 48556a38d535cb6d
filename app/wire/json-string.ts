import { type BytePosition, toConstant, toMarks, writeByte, writeConstant } from './place.ts'
import { backslash, quote } from './row.ts'

const unicodeEscape = toConstant('\\u00')
const hexDigits = Buffer.from('0123456789abcdef')

/** What stands after a backslash (RFC 8259 §7) for a byte below 32; 0: `u00XX`. */
const shortEscapes = new Uint8Array(32)
for (const [byte, letter] of Object.entries({ 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r' })) {
  shortEscapes[Number(byte)] = letter.charCodeAt(0)
}

/** Bytes that a JSON string cannot hold as they are, beside those below 32. */
export const stringMarks = toMarks(quote, backslash)
const isPlain = (byte: number) => byte >= 32 && byte !== quote && byte !== backslash

/** Writes a byte of a string, in the form that PostgreSQL gives it. */
export const writeEscaped = (to: BytePosition, byte: number): void => {
  if (isPlain(byte)) {
    writeByte(to, byte)
    return
  }
  const letter = byte < 32 ? (shortEscapes[byte] as number) : byte
  if (letter !== 0) {
    writeByte(to, backslash)
    writeByte(to, letter)
    return
  }
  writeConstant(to, unicodeEscape)
  writeByte(to, hexDigits[byte >> 4] as number)
  writeByte(to, hexDigits[byte & 15] as number)
}
