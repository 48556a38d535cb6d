import type { BytePosition } from '../../wire/place.ts'

/** Characters that Excel takes in a cell, in UTF-16 code units. */
const maxCharacters = 32_767

const cutMark = Buffer.from(' … [cut: a cell holds 32,767 characters]')
const cutMarkCharacters = cutMark.toString().length

/** UTF-16 code units that begin with a byte of UTF-8: none where it continues a character, two beyond U+FFFF. */
const unitsOf = (byte: number): number => (byte >= 0xf0 ? 2 : (byte & 0xc0) === 0x80 ? 0 : 1)

/** Ends a text that is too long for a cell in a mark, which counts. */
const cut = (to: BytePosition, start: number): void => {
  const { view, at: end } = to
  let characters = 0
  let place = end
  for (let at = start; at < end; at++) {
    const units = unitsOf(view.getUint8(at))
    if (units > 0 && characters + units > maxCharacters - cutMarkCharacters) place = Math.min(place, at)
    characters += units
  }
  if (characters <= maxCharacters) return
  for (const byte of cutMark) view.setUint8(place++, byte)
  to.at = place
}

const underscore = '_'.charCodeAt(0)
const [tab, newline] = [0x09, 0x0a]
/** Where UTF-8 of U+F000 to U+FFFF begins: XML has no U+FFFE and no U+FFFF. */
const lastPlane = 0xef

const entities = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }).map(([character, entity]) => [
    character.charCodeAt(0),
    Buffer.from(entity),
  ]),
)

/** `_xHHHH_` stands for a character that XML cannot hold (ECMA-376 part 1, 22.9.2.19, ST_Xstring). */
const escapeOf = (unit: number) => Buffer.from(`_x${unit.toString(16).toUpperCase().padStart(4, '0')}_`)
const escapedUnderscore = escapeOf(underscore)

/** A carriage return is among them: XML would read a newline. */
const isControl = (byte: number) => byte < 0x20 && byte !== tab && byte !== newline

/** 1: the byte may have to be written otherwise. */
const isSpecial = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(isControl(byte) || entities.has(byte) || byte === underscore || byte === lastPlane),
)

const hexDigit = /[0-9A-Fa-f]/

/** Whether what follows an underscore makes the beginning of an escape; an escape may close it. */
const looksEscaped = ({ view }: BytePosition, at: number, end: number): boolean => {
  if (at + 5 >= end || (view.getUint8(at + 1) | 0x20) !== 0x78) return false
  for (let i = at + 2; i <= at + 5; i++) {
    if (!hexDigit.test(String.fromCharCode(view.getUint8(i)))) return false
  }
  return true
}

/** Bytes that are replaced. */
type Edit = Readonly<{ at: number; length: number; by: Buffer }>

const editOf = (to: BytePosition, at: number, end: number): Edit | undefined => {
  const byte = to.view.getUint8(at)
  if (isControl(byte)) return { at, length: 1, by: escapeOf(byte) }
  if (byte === underscore)
    return looksEscaped(to, at, end) ? { at, length: 1, by: escapedUnderscore } : undefined
  if (byte === lastPlane) {
    const unit = 0xf000 | ((to.view.getUint8(at + 1) & 0x3f) << 6) | (to.view.getUint8(at + 2) & 0x3f)
    return unit >= 0xfffe ? { at, length: 3, by: escapeOf(unit) } : undefined
  }
  return { at, length: 1, by: entities.get(byte) as Buffer }
}

/** Replaces from the last edit to the first, so that each byte moves once. */
const apply = (to: BytePosition, edits: readonly Edit[]): void => {
  const { buffer, byteOffset, byteLength } = to.view
  const bytes = new Uint8Array(buffer, byteOffset, byteLength)
  let end = to.at
  let growth = edits.reduce((sum, { length, by }) => sum + by.length - length, 0)
  to.at += growth
  for (const { at, length, by } of edits.toReversed()) {
    bytes.copyWithin(at + length + growth, at + length, end)
    growth -= by.length - length
    bytes.set(by, at + growth)
    end = at
  }
}

/**
 * Makes the text that was written from `start` on the text of a cell: cut at 32,767 characters and marked, and
 * escaped for SpreadsheetML. It becomes at most seven times as long.
 */
export const finishText = (to: BytePosition, start: number): void => {
  if (to.at - start > maxCharacters) cut(to, start)
  const { view, at: end } = to
  const edits: Edit[] = []
  for (let at = start; at < end; at++) {
    if (isSpecial[view.getUint8(at)] === 0) continue
    const edit = editOf(to, at, end)
    if (edit) edits.push(edit)
  }
  if (edits.length > 0) apply(to, edits)
}

/** Returns a text as `finishText` leaves it. */
export const escapeText = (text: string): string => {
  const plain = Buffer.from(text)
  const bytes = Buffer.alloc(7 * plain.length + cutMark.length)
  plain.copy(bytes)
  const to = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at: plain.length }
  finishText(to, 0)
  return bytes.toString('utf8', 0, to.at)
}
