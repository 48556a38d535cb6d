import { crc32 } from 'node:zlib'

/**
 * Archives whose bytes depend only on the files. Nothing is compressed, because the result of a compressor depends on
 * its version. See docs/decisions/0272-packages-are-not-compressed.md.
 */

/** `path` has forward slashes. */
export type PackedFile = Readonly<{ path: string; content: Buffer; isExecutable?: boolean }>

const number = (value: number, sizeBytes: 1 | 2 | 4): Buffer => {
  const buffer = Buffer.alloc(sizeBytes)
  buffer.writeUIntLE(value, 0, sizeBytes)
  return buffer
}

/** The time that `npm pack` gives to every file: 1985-10-26T08:15:00Z. */
const packedAtSeconds = 499_162_500
const tarBlockBytes = 512
const maxTarNameBytes = 100

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`

/** POSIX ustar. */
const tarHeader = ({ path, content, isExecutable }: PackedFile): Buffer => {
  if (Buffer.byteLength(path) > maxTarNameBytes) throw new Error(`${path} is too long for a tar header`)
  const header = Buffer.alloc(tarBlockBytes)
  header.write(path, 0)
  header.write(octal(isExecutable ? 0o755 : 0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(content.length, 11), 124)
  header.write(octal(packedAtSeconds, 11), 136)
  // The checksum counts its own field as blanks.
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)} `, 148)
  return header
}

const createTar = (files: readonly PackedFile[]): Buffer => {
  const blocks = files.flatMap((file) => {
    const rest = file.content.length % tarBlockBytes
    const padding = Buffer.alloc(rest === 0 ? 0 : tarBlockBytes - rest)
    return [tarHeader(file), file.content, padding]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * tarBlockBytes)])
}

const maxStoredBytes = 65_535

/** RFC 1952, with stored blocks (RFC 1951, section 3.2.4), no time and no name. */
const gzipStored = (bytes: Buffer): Buffer => {
  const parts: Buffer[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])]
  for (let at = 0; at < bytes.length; at += maxStoredBytes) {
    const block = bytes.subarray(at, at + maxStoredBytes)
    const isLast = at + maxStoredBytes >= bytes.length
    parts.push(number(isLast ? 1 : 0, 1), number(block.length, 2), number(0xffff - block.length, 2), block)
  }
  parts.push(number(crc32(bytes), 4), number(bytes.length, 4))
  return Buffer.concat(parts)
}

/** Returns a tarball (.tgz) with these files in this order. */
export const createTarball = (files: readonly PackedFile[]): Buffer => gzipStored(createTar(files))

/** 1980-01-01T00:00:00, the earliest time of the format. */
const zipDate = 0x21
const zipVersion = 20
/** Attributes of files are those of Unix. */
const zipMadeBy = (3 << 8) | zipVersion
const regularFile = 0o100644

/** Returns a ZIP archive with these files in this order. */
export const createZip = (files: readonly PackedFile[]): Buffer => {
  const entries: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, content } of files) {
    const name = Buffer.from(path)
    const described = Buffer.concat([
      number(zipVersion, 2),
      number(0, 2), // flags
      number(0, 2), // stored
      number(0, 2), // time
      number(zipDate, 2),
      number(crc32(content), 4),
      number(content.length, 4),
      number(content.length, 4),
      number(name.length, 2),
      number(0, 2), // extra field
    ])
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), described, name, content])
    directory.push(
      Buffer.from('PK\x01\x02'),
      number(zipMadeBy, 2),
      described,
      number(0, 2), // comment
      number(0, 2), // disk
      number(0, 2), // internal attributes
      number(regularFile * 0x1_0000, 4),
      number(offset, 4),
      name,
    )
    entries.push(entry)
    offset += entry.length
  }
  const listed = Buffer.concat(directory)
  const end = [
    Buffer.from('PK\x05\x06'),
    number(0, 4), // disks
    number(files.length, 2),
    number(files.length, 2),
    number(listed.length, 4),
    number(offset, 4),
    number(0, 2), // comment
  ]
  return Buffer.concat([...entries, listed, ...end])
}
