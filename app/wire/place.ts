/**
 * A place in memory, which whoever reads or writes there moves on. Four bytes go at a time where that is faster:
 * what is read goes up to `slackBytes` beyond its end, and so does what is written, to be written over next.
 */
export type BytePosition = { view: DataView; at: number }

/** What must be there behind whatever is read or written. */
export const slackBytes = 4

/** A text that is written often. */
export type Constant = Readonly<{ words: Int32Array; length: number }>

/** A text as a constant, in UTF-8. */
export const toConstant = (text: string): Constant => {
  const bytes = Buffer.from(text)
  const words = new Int32Array(Math.ceil(bytes.length / 4))
  for (let at = 0; at < bytes.length; at++) {
    words[at >> 2] = (words[at >> 2] as number) | ((bytes[at] as number) << (8 * (at & 3)))
  }
  return { words, length: bytes.length }
}

/** Writes a constant. */
export const writeConstant = (to: BytePosition, { words, length }: Constant): void => {
  const { view, at } = to
  for (let i = 0; i < words.length; i++) view.setInt32(at + 4 * i, words[i] as number, true)
  to.at = at + length
}

/** Writes a byte. */
export const writeByte = (to: BytePosition, byte: number): void => {
  to.view.setUint8(to.at, byte)
  to.at += 1
}

/** The byte that is next. */
export const peekByte = ({ view, at }: BytePosition): number => view.getUint8(at)

/** Three bytes that end a run, the same one again where there are fewer, each four times over in a word. */
export type Marks = Readonly<{ a: number; b: number; c: number }>

const spread = (byte: number) => Math.imul(byte, 0x01010101)

/** One to three bytes as marks. */
export const toMarks = (a: number, b = a, c = a): Marks => ({ a: spread(a), b: spread(b), c: spread(c) })

/**
 * A word whose lowest high bit is in the lowest byte of this one that is 0, if there is one (S. E. Anderson, "Bit
 * Twiddling Hacks", "Determine if a word has a zero byte"); high bits above that may say anything.
 */
const findZero = (word: number) => (word - 0x01010101) & ~word
/** The same for bytes below 32. */
const findControl = (word: number) => (word - 0x20202020) & ~word
const highBits = 0x80808080

/** Whether any of the four bytes is below 32 or a mark. */
export const hasMark = (word: number, { a, b, c }: Marks): boolean =>
  ((findControl(word) | findZero(word ^ a) | findZero(word ^ b) | findZero(word ^ c)) & highBits) !== 0

/** Copies what is neither below 32 nor a mark; returns the byte that ends it, where both then stand. */
export const copyRun = (from: BytePosition, to: BytePosition, { a, b, c }: Marks): number => {
  const source = from.view
  const target = to.view
  let at = from.at
  const ahead = to.at - at
  for (;;) {
    const word = source.getInt32(at, true)
    target.setInt32(at + ahead, word, true)
    const found =
      (findControl(word) | findZero(word ^ a) | findZero(word ^ b) | findZero(word ^ c)) & highBits
    if (found !== 0) {
      const bits = (31 - Math.clz32(found & -found)) & 24
      at += bits >> 3
      from.at = at
      to.at = at + ahead
      return (word >>> bits) & 0xff
    }
    at += 4
  }
}
