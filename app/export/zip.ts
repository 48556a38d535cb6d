import { promisify } from 'node:util'
import { constants, crc32, deflateRaw as deflateRawWithCallback } from 'node:zlib'

const deflateRaw = promisify(deflateRawWithCallback)

type Entry = { name: Buffer; offset: number; crc: number; packedBytes: number; bytes: number }

/** APPNOTE 4.4.3. */
const [versionNeeded, zip64Version] = [20, 45]
/** APPNOTE 4.4.4, bit 3: the sizes are in a descriptor behind the file. */
const sizesBehind = 8
const deflated = 8
/** 1980-01-01 for each file, so that the same rows produce the same bytes. */
const firstDay = 0x21
const none32 = 0xffffffff

/** With this flush, a compressed text ends at a byte and not with a last block: others can follow. */
const options = { level: 1, chunkSize: 64 * 1024, finishFlush: constants.Z_SYNC_FLUSH }
/** An empty last block (RFC 1951, section 3.2.6). */
const lastBlock = Buffer.from([3, 0])

const pack = (size: 2 | 4 | 8, ...values: number[]): Buffer => {
  const bytes = Buffer.alloc(size * values.length)
  for (const [index, value] of values.entries()) {
    if (size === 8) bytes.writeBigUInt64LE(BigInt(value), 8 * index)
    else bytes.writeUIntLE(value, size * index, size)
  }
  return bytes
}

const usual = pack(2, sizesBehind, deflated, 0, firstDay)

/** APPNOTE 4.3.7. */
const localHeader = ({ name }: Entry): Buffer =>
  Buffer.concat([
    pack(4, 0x04034b50),
    pack(2, versionNeeded),
    usual,
    pack(4, 0, 0, 0),
    pack(2, name.length, 0),
    name,
  ])

/** APPNOTE 4.3.9. */
const descriptor = ({ crc, packedBytes, bytes }: Entry): Buffer =>
  pack(4, 0x08074b50, crc, packedBytes, bytes)

/** APPNOTE 4.3.12. */
const directoryEntry = ({ name, offset, crc, packedBytes, bytes }: Entry): Buffer => {
  const isFar = offset >= none32
  const extra = isFar ? [pack(2, 1, 8), pack(8, offset)] : []
  const version = isFar ? zip64Version : versionNeeded
  return Buffer.concat([
    pack(4, 0x02014b50),
    pack(2, version, version),
    usual,
    pack(4, crc, packedBytes, bytes),
    pack(2, name.length, isFar ? 12 : 0, 0, 0, 0),
    pack(4, 0, isFar ? none32 : offset),
    name,
    ...extra,
  ])
}

/** APPNOTE 4.3.14 and 4.3.15. */
const zip64End = (count: number, offset: number, size: number): Buffer =>
  Buffer.concat([
    pack(4, 0x06064b50),
    pack(8, 44),
    pack(2, zip64Version, zip64Version),
    pack(4, 0, 0),
    pack(8, count, count, size, offset),
    pack(4, 0x07064b50, 0),
    pack(8, offset + size),
    pack(4, 1),
  ])

/** APPNOTE 4.3.16. */
const directoryEnd = (count: number, offset: number, size: number): Buffer =>
  Buffer.concat([
    pack(4, 0x06054b50),
    pack(2, 0, 0, count, count),
    pack(4, size, Math.min(offset, none32)),
    pack(2, 0),
  ])

/**
 * Creates the writer of a ZIP archive (PKWARE's APPNOTE 6.3) of deflated files. Beyond 4 GiB the directory is ZIP64;
 * a file must stay below. `offset`: bytes that the caller has written before.
 */
export const createZip = (offset = 0) => {
  const entries: Entry[] = []
  let at = offset
  const count = (bytes: Buffer): Buffer => {
    at += bytes.length
    return bytes
  }
  return {
    /** Yields the bytes of a file. Read them to the end before the next call. */
    async *add(name: string, texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Buffer> {
      const entry: Entry = { name: Buffer.from(name), offset: at, crc: 0, packedBytes: 0, bytes: 0 }
      entries.push(entry)
      yield count(localHeader(entry))
      for await (const text of texts) {
        const bytes = Buffer.from(text)
        entry.crc = crc32(bytes, entry.crc)
        entry.bytes += bytes.length
        const packed = await deflateRaw(bytes, options)
        entry.packedBytes += packed.length
        yield count(packed)
      }
      entry.packedBytes += lastBlock.length
      yield count(Buffer.concat([lastBlock, descriptor(entry)]))
    },
    /** Returns the end of the archive: its directory. */
    end(): Buffer {
      const directory = Buffer.concat(entries.map(directoryEntry))
      const { length } = directory
      const far = at >= none32 ? zip64End(entries.length, at, length) : Buffer.alloc(0)
      return Buffer.concat([directory, far, directoryEnd(entries.length, at, length)])
    },
  }
}
