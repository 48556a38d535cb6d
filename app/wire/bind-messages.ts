/** Messages as PostgreSQL's manual has them ("Message Formats"): a letter, four bytes of length, what it says. */
const [bind, execute, sync] = [...'BES'].map((letter) => letter.charCodeAt(0)) as [number, number, number]

const lengthBytes = 4
/** Execute of the portal without a name, all rows; then Sync. */
const executeAndSync = Buffer.of(execute, 0, 0, 0, 9, 0, 0, 0, 0, 0, sync, 0, 0, 0, lengthBytes)
/** No portal's name, and behind the statement's name no formats of parameters: all are text. */
const fixedBytes = 1 + lengthBytes + 1 + 1 + 2 + 2 + 2
const formatBytes = 2

const none = -1

/**
 * Binds a statement to its values, runs it and ends the round trip, as one piece of bytes: three would be three
 * writes. `statement`: its name; empty: the one without. A value that is null has no length. `formats`: of each
 * column of the result, 0 for text and 1 for binary; none: all are text.
 */
export const bindMessages = (
  statement: string,
  values: readonly (string | null)[],
  formats: readonly (0 | 1)[] = [],
): Buffer => {
  let valueBytes = 0
  const lengths = values.map((value) => {
    const bytes = value === null ? 0 : Buffer.byteLength(value)
    valueBytes += lengthBytes + bytes
    return value === null ? none : bytes
  })
  const size = fixedBytes + statement.length + valueBytes + formatBytes * formats.length
  const bytes = Buffer.allocUnsafe(size + executeAndSync.length)
  bytes[0] = bind
  bytes.writeUInt32BE(size - 1, 1)
  bytes[5] = 0
  let at = 6 + bytes.write(statement, 6, 'latin1')
  bytes[at] = 0
  bytes.writeUInt16BE(0, at + 1)
  at = bytes.writeUInt16BE(values.length, at + 3)
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(lengths[index] as number, at)
    if (value !== null) at += bytes.write(value, at)
  }
  at = bytes.writeUInt16BE(formats.length, at)
  for (const format of formats) at = bytes.writeUInt16BE(format, at)
  executeAndSync.copy(bytes, size)
  return bytes
}
