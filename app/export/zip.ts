import { crc32, createDeflateRaw } from 'node:zlib'

type Entry = { name: Buffer; offset: number; crc: number; packedBytes: number; bytes: number }

export type ZipFile = {
  write(bytes: Buffer): Promise<void>
  end(): Promise<void>
}

export type Zip = {
  open(name: string): ZipFile
  end(): void
  /** Frees the memory of a file that was not ended. */
  destroy(): void
}

/** APPNOTE 4.4.3. */
const [versionNeeded, zip64Version] = [20, 45]
/** APPNOTE 4.4.4, bit 3: the sizes are in a descriptor behind the file. */
const sizesBehind = 8
const deflated = 8
/** 1980-01-01 for each file, so that the same rows produce the same bytes. */
const firstDay = 0x21
const none32 = 0xffffffff

const level = 1
const chunkBytes = 64 * 1024

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
    ...[pack(4, 0x04034b50), pack(2, versionNeeded), usual],
    ...[pack(4, 0, 0, 0), pack(2, name.length, 0), name],
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
    ...[pack(4, 0x02014b50), pack(2, version, version), usual, pack(4, crc, packedBytes, bytes)],
    ...[pack(2, name.length, isFar ? 12 : 0, 0, 0, 0), pack(4, 0, isFar ? none32 : offset)],
    ...[name, ...extra],
  ])
}

/** APPNOTE 4.3.14 and 4.3.15. */
const zip64End = (count: number, offset: number, size: number): Buffer =>
  Buffer.concat([
    ...[pack(4, 0x06064b50), pack(8, 44), pack(2, zip64Version, zip64Version), pack(4, 0, 0)],
    ...[pack(8, count, count, size, offset), pack(4, 0x07064b50, 0), pack(8, offset + size), pack(4, 1)],
  ])

/** APPNOTE 4.3.16. */
const directoryEnd = (count: number, offset: number, size: number): Buffer =>
  Buffer.concat([
    ...[pack(4, 0x06054b50), pack(2, 0, 0, count, count)],
    ...[pack(4, size, Math.min(offset, none32)), pack(2, 0)],
  ])

/**
 * Writes a ZIP archive (PKWARE's APPNOTE 6.3) of deflated files, one after the other, to `emit`. Beyond 4 GiB the
 * directory is ZIP64; a file must stay below. `offset`: bytes that the caller emitted before.
 */
export const createZip = (emit: (bytes: Buffer) => void, offset = 0): Zip => {
  const entries: Entry[] = []
  let at = offset
  let current: ReturnType<typeof createDeflateRaw> | undefined
  const send = (bytes: Buffer) => {
    at += bytes.length
    emit(bytes)
  }
  return {
    open(name) {
      const entry: Entry = { name: Buffer.from(name), offset: at, crc: 0, packedBytes: 0, bytes: 0 }
      const deflate = createDeflateRaw({ level, chunkSize: chunkBytes })
      current = deflate
      send(localHeader(entry))
      deflate.on('data', (bytes: Buffer) => {
        entry.packedBytes += bytes.length
        send(bytes)
      })
      // `write` and `end` reject on an error; without a listener it would end the process.
      deflate.on('error', () => {})
      return {
        write(bytes) {
          entry.crc = crc32(bytes, entry.crc)
          entry.bytes += bytes.length
          return new Promise((resolve, reject) => {
            deflate.write(bytes, (error) => (error ? reject(error) : resolve()))
          })
        },
        async end() {
          await new Promise((resolve, reject) => deflate.on('end', resolve).on('error', reject).end())
          send(descriptor(entry))
          entries.push(entry)
        },
      }
    },
    end() {
      const start = at
      for (const entry of entries) send(directoryEntry(entry))
      const size = at - start
      if (start >= none32) send(zip64End(entries.length, start, size))
      send(directoryEnd(entries.length, start, size))
    },
    destroy: () => current?.destroy(),
  }
}
