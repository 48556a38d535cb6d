import { UnusableFile } from '../../../import/entry.ts'
import { quoteText } from '../../../import/quote.ts'
import { createDecoder } from '../code-pages.ts'
import { decodesAsUtf8, detectBytes, messages, startsWith } from '../file-kind.ts'
import { findOddWord, hasC1Control } from '../plausible.ts'

const decodeAs = (label: string, bytes: Uint8Array) => createDecoder(label, { fatal: false })(bytes)

const quoteWord = (label: string, word: Uint8Array) =>
  `--encoding ${label} reads ${quoteText(decodeAs(label, word))}`

const throwUncertain = (head: Buffer, labels: readonly string[], iconv: string): never => {
  const word = findOddWord(head)
  throw new UnusableFile(
    `The table is not UTF-8, and its encoding is not certain. Name it: ${labels.map((label) => quoteWord(label, word)).join(', ')}. Or convert it: iconv -f ${iconv} -t UTF-8 file > table.csv. Or save the table as CSV UTF-8`,
  )
}

/**
 * Accepts Windows-1252 only if the code pages of Central Europe and Turkey give the same text, and if it
 * never has three characters beyond ASCII in a row, as words in Cyrillic and Greek have.
 */
const requireWindows1252 = (head: Buffer): string => {
  const text = decodeAs('windows-1252', head)
  const isSame = ['windows-1250', 'windows-1254'].every((label) => decodeAs(label, head) === text)
  if (isSame && !/[^\p{ASCII}]{3}/u.test(text)) return 'windows-1252'
  return throwUncertain(head, ['windows-1252', 'cp850'], 'WINDOWS-1252')
}

const isBeyondAscii = (head: Uint8Array) => head.some((byte) => byte > 0x7f)

const marks = { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] }

const findLabel = (head: Buffer, named: string | undefined): string => {
  const kind = detectBytes(head)
  if (kind === 'gzip' || kind === 'xls' || kind === 'zip') throw new UnusableFile(messages[kind])
  const marked = Object.entries(marks).find(([, mark]) => startsWith(head, ...mark))
  if (marked) return marked[0]
  if (named) {
    const isOther = named !== 'utf-8' && kind === undefined && decodesAsUtf8(head) && isBeyondAscii(head)
    if (isOther) throw new UnusableFile(`The table is UTF-8, not ${named}. Import it without --encoding`)
    return named
  }
  if (kind === 'binary') throw new UnusableFile(messages.binary)
  if (kind === 'utf16le' || kind === 'utf16be') return kind.replace('utf16', 'utf-16')
  if (kind === 'dos') throwUncertain(head, ['cp850', 'cp437', 'windows-1252'], 'CP850')
  return kind === 'latin1' ? requireWindows1252(head) : 'utf-8'
}

/** Keeps bytes that are not UTF-8, so that only their rows are bad. */
const readUtf8 = async function* (source: AsyncIterable<Uint8Array>, markBytes: number) {
  let skipped = markBytes
  for await (const chunk of source) {
    yield chunk.subarray(skipped)
    skipped = 0
  }
}

const convert = async function* (source: AsyncIterable<Uint8Array>, label: string, isNamed: boolean) {
  const decode = createDecoder(label, { fatal: true })
  const toError = (cause?: unknown) => new Error(`the file is not ${label} throughout`, { cause })
  try {
    for await (const chunk of source) {
      const text = decode(chunk)
      if (!isNamed && hasC1Control(text)) throw toError()
      yield Buffer.from(text)
    }
    yield Buffer.from(decode())
  } catch (cause) {
    throw cause instanceof TypeError ? toError(cause) : cause
  }
}

/**
 * Converts a text file to UTF-8 without a byte order mark. `named`: see `getEncodingLabel`. A byte order mark
 * wins. Throws `UnusableFile` if the file is no text, is UTF-8 against `named`, or its encoding is not
 * certain. `bytes` throws for invalid bytes, but passes on those of UTF-8.
 */
export const toUtf8 = (source: AsyncIterable<Uint8Array>, head: Buffer, named: string | undefined) => {
  const label = findLabel(head, named)
  const isUtf8 = label === 'utf-8'
  const markBytes = isUtf8 && startsWith(head, ...marks['utf-8']) ? marks['utf-8'].length : 0
  return {
    bytes: isUtf8 ? readUtf8(source, markBytes) : convert(source, label, named !== undefined),
    headText: decodeAs(label, head),
  }
}
