import { findJsonFault } from '../../http/json-fault.ts'
import { UnusableFile } from '../../import/entry.ts'
import { findResource } from '../../import/line.ts'
import { resourceNames, resources } from '../../records/resources/index.ts'
import { isPlausible } from './plausible.ts'

const headBytes = 64 * 1024

const pipe = 'npx --no certdata import -'

/** `file` is a placeholder for the name of the user's file. */
export const messages = {
  gzip: `The file is compressed with gzip. Unpack it: gunzip -c file | ${pipe}`,
  zip: `The file is an Excel workbook (XLSX) or another zip archive. Save a workbook in Excel as "CSV UTF-8" and import that file. Unpack an archive: unzip -p file | ${pipe}`,
  xls: 'The file is an Excel workbook (XLS). Save it in Excel as "CSV UTF-8" and import that file',
  utf16: `The file is UTF-16 text. Convert it to UTF-8: iconv -f UTF-16 -t UTF-8 file | ${pipe}`,
  utf16le: `The file is UTF-16 text. Convert it to UTF-8: iconv -f UTF-16LE -t UTF-8 file | ${pipe}`,
  utf16be: `The file is UTF-16 text. Convert it to UTF-8: iconv -f UTF-16BE -t UTF-8 file | ${pipe}`,
  latin1: `The file is Latin-1 or Windows-1252 text. Convert it to UTF-8: iconv -f WINDOWS-1252 -t UTF-8 file | ${pipe}`,
  dos: `The file is not UTF-8, and as Windows-1252 it is no text: it may be in a code page of MS-DOS. Convert it to UTF-8: iconv -f CP850 -t UTF-8 file | ${pipe}`,
  binary: 'The file is not text. Expected JSON lines in UTF-8: one object on each line',
  csv: 'The file is a table (CSV) without a column "resource". Name the resource of its rows: npx --no certdata import file --resource products',
  json: 'The file has JSON and is no table. Import JSON lines without --resource, --encoding, --dates and --map, from a file that is not named .csv',
  array: `The file is a JSON array. Write one object on each line: jq -c '.[]' file | ${pipe}`,
  indented: `The file has JSON objects over several lines. Write each on one line: jq -c . file | ${pipe}`,
  concatenated: `The file has several JSON objects on one line. Write each on a line: jq -c . file | ${pipe}`,
  cr: `The lines of the file end with CR only. Convert them: tr '\\r' '\\n' < file | ${pipe}`,
  commas: `The file has a comma after each object. Remove it: sed 's/,[[:space:]]*$//' file | ${pipe}`,
  export: 'The file is the export of a customer. Import it with: npx --no certdata customers import file',
  customers:
    'No line names a customer. Add "customer" to the lines, or name it: npx --no certdata import file --customer <slug>',
} as const
type FileKind = keyof typeof messages

/** Whether a file starts with these bytes. */
export const startsWith = (head: Uint8Array, ...bytes: number[]) =>
  bytes.every((byte, index) => head[index] === byte)

const multibyte = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/
// biome-ignore lint/suspicious/noControlCharactersInRegex: text files have none of these.
const control = /[\x00-\x08\x0e-\x1f]/

/** Whether the start of a file is UTF-8. Its last character may be cut. */
export const decodesAsUtf8 = (head: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Detects a file that is not UTF-8. `undefined` also if it has some characters in UTF-8: then single lines are bad. */
export const detectBytes = (head: Buffer): FileKind | undefined => {
  if (startsWith(head, 0x1f, 0x8b)) return 'gzip'
  if (startsWith(head, 0x50, 0x4b, 0x03, 0x04)) return 'zip'
  if (startsWith(head, 0xd0, 0xcf, 0x11, 0xe0)) return 'xls'
  if (startsWith(head, 0xff, 0xfe) || startsWith(head, 0xfe, 0xff)) return 'utf16'
  if (head.length > 3 && head[1] === 0 && head[3] === 0) return 'utf16le'
  if (head.length > 3 && head[0] === 0 && head[2] === 0) return 'utf16be'
  if (decodesAsUtf8(head)) return undefined
  const text = head.toString('latin1')
  if (control.test(text)) return 'binary'
  if (multibyte.test(text)) return undefined
  return isPlausible(new TextDecoder('windows-1252').decode(head)) ? 'latin1' : 'dos'
}

/** `name`: of the member with the records. */
const describeWrapped = (name: string, hasResource: boolean): string => {
  const filter = `.[${JSON.stringify(name)}][]`
  const records = hasResource ? filter : `${filter} + {resource: "products"}`
  const note = hasResource ? '' : ', with the name of their resource'
  return `The file is one JSON object with the records in ${JSON.stringify(name)}. Write each on one line${note}: jq -c '${records}' file | ${pipe}`
}

type Json = Readonly<Record<string, unknown>>
const parseObject = (line: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

/** The kind of a text whose first line is no JSON object. `undefined` if only this line may be bad. */
const findTextKind = (text: string, first: string, second: string): FileKind | undefined => {
  if (first.includes('\r')) return 'cr'
  if (/^\[\s*(?:[{\]]|$)/.test(first)) return 'array'
  if (first.startsWith('{')) {
    if (first === '{' || second.startsWith('"')) return 'indented'
    if (/\}\s*,$/.test(first) && parseObject(first.slice(0, -1))) return 'commas'
    const { position = 0 } = findJsonFault(first) ?? {}
    return first[position] === '{' && parseObject(first.slice(0, position)) ? 'concatenated' : undefined
  }
  return /[,;\t]/.test(first) && !/^\s*[{[]/m.test(text) ? 'csv' : undefined
}

const isOwned = ({ resource }: Json): boolean => {
  const found = findResource(resource)
  return found !== undefined && !found.reference
}

const firstList = /^\s*\{(?:[^[\]]*,)?\s*"(\w{1,64})"\s*:\s*\[\s*\{/
const listsOfRecords = resourceNames.flatMap((name) => [...resources[name].fields.keys()])

/** Throws for a document such as `{"data": [{…}]}`, also over several lines, and for a cut one. */
const requireUnwrapped = (text: string, first: Json | undefined): void => {
  if (first && 'resource' in first) return
  const [start = '', name] = firstList.exec(text) ?? []
  if (name === undefined || start.includes('"resource"') || listsOfRecords.includes(name)) return
  const record = text.slice(start.length).split('}')[0] as string
  throw new UnusableFile(describeWrapped(name, record.includes('"resource"')))
}

/** Returns `csv` for a table, `undefined` for JSON lines, or the kind of a file that cannot be imported.
 * Throws `UnusableFile` for a wrapped document. */
export const findFileKind = (head: Buffer, hasCustomer: boolean): FileKind | undefined => {
  const encoding = detectBytes(head)
  const isOneByte = encoding === 'latin1' || encoding === 'dos'
  if (encoding && !isOneByte) return encoding
  const text = head.toString(isOneByte ? 'latin1' : 'utf8').replace(/^\ufeff/, '')
  const lines = text.split('\n').map((line) => line.replace(/^\ufeff/, '').trim())
  const [first = '', second = ''] = lines.filter((line) => line !== '')
  // A table in another encoding is converted. JSON lines are not.
  if (isOneByte) return findTextKind(text, first, second) === 'csv' ? 'csv' : encoding
  if (first === '') return undefined
  const object = parseObject(first)
  requireUnwrapped(text, object)
  if (!object) return findTextKind(text, first, second)
  if ('table' in object && 'row' in object) return 'export'
  if (hasCustomer) return undefined
  const objects = lines.map(parseObject).filter((object) => object !== undefined)
  const isNamed = objects.some(({ customer }) => customer !== undefined && customer !== null)
  return !isNamed && objects.some(isOwned) ? 'customers' : undefined
}

/** Reads the first 64 KiB, or less, of a source. `bytes` yields the whole source. */
export const peek = async (source: AsyncIterable<Uint8Array>) => {
  const rest = source[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    chunks.push(next.value)
    sizeBytes += next.value.length
    if (sizeBytes >= headBytes) break
  }
  const head = Buffer.concat(chunks)
  const bytes = async function* () {
    yield head
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { head: head.subarray(0, headBytes), bytes: bytes(), close: async () => rest.return?.() }
}
