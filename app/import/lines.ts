/** Bounds the memory for one record. */
export const maxLineBytes = 2 ** 20

/** `number` counts from 1 and counts blank lines. `fault`: why the line has no text. */
export type Line =
  | { number: number; text: string; fault?: never }
  | { number: number; text?: never; fault: string }

const newline = 0x0a

const withLastNewline = async function* (source: AsyncIterable<Uint8Array>) {
  yield* source
  yield Uint8Array.of(newline)
}

/**
 * Yields lines that are not blank, with CR, each without a byte order mark. Lines above `mostBytes` are faults. Throws
 * errors of the source.
 */
export const readLines = async function* (
  source: AsyncIterable<Uint8Array>,
  mostBytes: number = maxLineBytes,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let parts: Uint8Array[] = []
  let sizeBytes = 0
  let number = 0

  const keep = (part: Uint8Array) => {
    sizeBytes += part.length
    if (sizeBytes > mostBytes) parts = []
    else if (part.length > 0) parts.push(part)
  }
  const finish = (): Line => {
    const whole = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
    const tooLong = sizeBytes > mostBytes
    parts = []
    sizeBytes = 0
    number += 1
    if (tooLong) return { number, fault: `longer than ${mostBytes} bytes` }
    try {
      return { number, text: decoder.decode(whole) }
    } catch {
      return { number, fault: 'not UTF-8; for Latin-1 or Windows-1252: iconv -f WINDOWS-1252 -t UTF-8' }
    }
  }

  for await (const chunk of withLastNewline(source)) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end))
      start = end + 1
      const line = finish()
      if (line.text?.trim() !== '') yield line
    }
    keep(chunk.subarray(start))
  }
}
