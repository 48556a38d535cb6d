/**
 * Rows as `COPY … TO STDOUT` sends them in its text format (PostgreSQL's manual, COPY, "Text Format"): cells
 * separated by tabs, ended by a newline, `\N` for null. Within a cell tab, newline, backslash and the like are
 * escaped, so that neither a tab nor a newline byte ever belongs to a value. Other bytes may stand around them.
 */
export type Row = Uint8Array

/** Writes rows in one format. */
export type RowEncoder = {
  /** Bytes that a row of so many may become, at most. */
  bound(rowBytes: number): number
  /** Writes the row that begins at `start` into `out` from `at` on; returns where it ends there. */
  write(row: Row, start: number, out: Uint8Array, at: number): number
}

export const tab = 0x09
export const newline = 0x0a
export const backslash = 0x5c
export const quote = 0x22
const capitalN = 0x4e

/** What a letter after a backslash stands for; any other byte stands for itself. */
const escaped = new Uint8Array(256).map((_, byte) => byte)
for (const [letter, byte] of [
  ['b', 8],
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
] as const) {
  escaped[letter.charCodeAt(0)] = byte
}

/** The byte that `\` and this byte stand for. */
export const unescaped = (byte: number): number => escaped[byte] as number

/** Whether a cell that begins here is null. */
export const isNull = (row: Row, from: number): boolean =>
  row[from] === backslash && row[from + 1] === capitalN

/** Where the cell that begins here ends: at its tab or newline. */
export const endOfCell = (row: Row, from: number): number => {
  let end = from
  while (row[end] !== tab && row[end] !== newline) end++
  return end
}

/** Writes the cell's value as it is, without the escapes of the format; returns where it ends. */
export const copyCell = (row: Row, from: number, end: number, out: Uint8Array, at: number): number => {
  for (let i = from; i < end; i++) {
    const byte = row[i] as number
    out[at++] = byte === backslash ? unescaped(row[++i] as number) : byte
  }
  return at
}

/** Writes bytes; shorter ones than pay for a call. */
export const copyBytes = (bytes: Uint8Array, out: Uint8Array, at: number): number => {
  for (let i = 0; i < bytes.length; i++) out[at++] = bytes[i] as number
  return at
}

const digits = 6

/**
 * Writes `2026-04-25 11:02:03.45+00`, a timestamptz as a session in UTC shows it, as RFC 3339 with six decimals:
 * the form that answers have.
 */
export const writeInstant = (row: Row, from: number, end: number, out: Uint8Array, at: number): number => {
  let i = from
  for (; i < end && row[i] !== 0x20; i++) out[at++] = row[i] as number
  out[at++] = 0x54
  // HH:MM:SS
  for (const stop = i + 9; ++i < stop; ) out[at++] = row[i] as number
  out[at++] = 0x2e
  const hasFraction = row[i] === 0x2e
  for (let n = 0; n < digits; n++) {
    const digit = hasFraction ? (row[i + 1] as number) : 0
    const isDigit = digit >= 0x30 && digit <= 0x39
    if (isDigit) i++
    out[at++] = isDigit ? digit : 0x30
  }
  out[at++] = 0x5a
  return at
}
