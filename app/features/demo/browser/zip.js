const encoder = new TextEncoder()

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})
/** CRC-32, as in ISO 3309. @param {Uint8Array} bytes */
const checksum = (bytes) => {
  let value = 0xffffffff
  for (const byte of bytes) value = (crcTable[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return ~value >>> 0
}

/** @param {readonly (readonly [bytes: 2 | 4, value: number])[]} fields little-endian */
const pack = (fields) => {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}

/** 1 January 1980, the first day that ZIP knows. */
const zipDay = 0x21
const utf8Flag = 0x800

/** Returns an archive of files without compression (PKWARE APPNOTE 6.3.10). @param {Record<string, string>} files text by path */
export const zip = (files) => {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = []
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const directory = []
  let offset = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [encoder.encode(path), encoder.encode(text)]
    /** Version, flags, no compression, time, day, checksum, both sizes, lengths of the name and of more fields. */
    const common = /** @type {const} */ ([
      [2, 20],
      [2, utf8Flag],
      [2, 0],
      [2, 0],
      [2, zipDay],
      [4, checksum(content)],
      [4, content.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    ])
    const local = pack([[4, 0x04034b50], ...common])
    const central = pack([[4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]])
    parts.push(local, name, content)
    directory.push(central, name)
    offset += local.length + name.length + content.length
  }
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0)
  const count = Object.keys(files).length
  const end = pack([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directoryBytes],
    [4, offset],
    [2, 0],
  ])
  return new Blob([...parts, ...directory, end])
}
