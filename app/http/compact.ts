import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Shorter texts gain little and cost 20 µs. */
const smallestBytes = 256
const largestBytes = 64 * 1024

const form = { plain: 0, deflated: 1 } as const

/** Encodes a text in fewer bytes, for a header field. */
export const compact = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const deflated = bytes.length < smallestBytes ? bytes : deflateRawSync(bytes, { level: 9 })
  return deflated.length < bytes.length
    ? Buffer.concat([Buffer.of(form.deflated), deflated])
    : Buffer.concat([Buffer.of(form.plain), bytes])
}

/** The inverse of `compact`. Throws for other bytes, and for a text above 64 KiB. */
export const expand = (bytes: Buffer): string => {
  const content = bytes.subarray(1)
  if (bytes[0] === form.plain) return content.toString()
  if (bytes[0] !== form.deflated) throw new Error('unknown form')
  return inflateRawSync(content, { maxOutputLength: largestBytes }).toString()
}
