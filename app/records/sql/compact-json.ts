import { z } from 'zod'
import { type BytePosition, type Constant, toConstant, writeByte, writeConstant } from '../../wire/place.ts'
import { largestGrowth, nullText, type WriteValue, writeJson } from './json-values.ts'

/**
 * Writes a `jsonb` as answers have it: without spaces, the members in the schema's order. `json-text.ts` has
 * PostgreSQL do this, which takes it ten times as long.
 *
 * The binary form is a byte of version and the text. PostgreSQL makes that text, so there is one space behind each
 * comma and colon, and none elsewhere.
 */

/** `name`: with its quotes. */
type Member = Readonly<{ name: Buffer; first: Constant; before: Constant; shape: Shape | undefined }>
/** What of a schema decides the form; undefined: any other value, which stays as it is stored. */
type Shape =
  /** `places`: where each member's value was found in the object that is being written, 0: nowhere. */
  | Readonly<{ members: readonly Member[]; places: Int32Array; growth: number }>
  | Readonly<{ element: Shape | undefined; growth: number }>

const [comma, quote, backslash] = [0x2c, 0x22, 0x5c]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

const unwrap = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodNullable ? unwrap(schema.unwrap() as z.ZodType) : schema

/** `growth`: bytes that an empty object or array of this shape may become. */
const shapeOf = (nullable: z.ZodType): Shape | undefined => {
  const schema = unwrap(nullable)
  if (schema instanceof z.ZodArray) {
    const element = shapeOf(schema.element as z.ZodType)
    return { element, growth: element?.growth ?? 0 }
  }
  if (!(schema instanceof z.ZodObject)) return undefined
  const members = Object.entries(schema.shape).map(([name, member]): Member => {
    const quoted = JSON.stringify(name)
    const [first, before] = [toConstant(`{${quoted}:`), toConstant(`,${quoted}:`)]
    return { name: Buffer.from(quoted), first, before, shape: shapeOf(member as z.ZodType) }
  })
  const growth = members.reduce(
    (sum, { before, shape }) => sum + before.length + nullText.length + (shape?.growth ?? 0),
    2,
  )
  return { members, places: new Int32Array(members.length), growth }
}

/** Where a string ends that begins before `at`. */
const endOfString = (view: DataView, from: number): number => {
  let at = from
  for (;;) {
    const byte = view.getUint8(at)
    if (byte === quote) return at + 1
    at += byte === backslash ? 2 : 1
  }
}

/** Where the value ends that begins at `from`. A number, true, false or null must be within an array or object. */
const endOfValue = (view: DataView, from: number): number => {
  let depth = 0
  let at = from
  for (;;) {
    const byte = view.getUint8(at)
    const isEnd = byte === closeArray || byte === closeObject
    if (depth === 0 && (byte === comma || isEnd)) return at
    if (byte === openArray || byte === openObject) depth += 1
    else if (isEnd) depth -= 1
    at = byte === quote ? endOfString(view, at + 1) : at + 1
    if (depth === 0 && (byte === quote || isEnd)) return at
  }
}

const isNamed = (view: DataView, start: number, length: number, name: Buffer): boolean => {
  if (length !== name.length) return false
  for (let i = 0; i < length; i++) if (view.getUint8(start + i) !== name[i]) return false
  return true
}

/** Which member a name from `start` to `end` is; -1: none. */
const indexOf = (members: readonly Member[], view: DataView, start: number, end: number): number => {
  for (let i = 0; i < members.length; i++) {
    if (isNamed(view, start, end - start, (members[i] as Member).name)) return i
  }
  return -1
}

type ObjectShape = Extract<Shape, { members: unknown }>

/** Notes where the values of an object lie, and goes behind it. */
const findMembers = (from: BytePosition, { members, places }: ObjectShape): void => {
  const { view } = from
  places.fill(0)
  let at = from.at + 1
  while (view.getUint8(at) !== closeObject) {
    const nameEnd = endOfString(view, at + 1)
    const index = indexOf(members, view, at, nameEnd)
    // Behind colon and space.
    if (index >= 0) places[index] = nameEnd + 2
    at = endOfValue(view, nameEnd + 2)
    if (view.getUint8(at) === comma) at += 2
  }
  from.at = at + 1
}

const writeObject = (from: BytePosition, shape: ObjectShape, to: BytePosition): void => {
  const { members, places } = shape
  findMembers(from, shape)
  const end = from.at
  for (let i = 0; i < members.length; i++) {
    const { first, before, shape: inner } = members[i] as Member
    writeConstant(to, i === 0 ? first : before)
    from.at = places[i] as number
    if (from.at === 0) writeConstant(to, nullText)
    else writeInner(from, inner, to)
  }
  writeByte(to, closeObject)
  from.at = end
}

const writeArray = (from: BytePosition, element: Shape | undefined, to: BytePosition): void => {
  const { view } = from
  from.at += 1
  writeByte(to, openArray)
  while (view.getUint8(from.at) !== closeArray) {
    writeInner(from, element, to)
    if (view.getUint8(from.at) !== comma) continue
    writeByte(to, comma)
    from.at += 2
  }
  from.at += 1
  writeByte(to, closeArray)
}

/** Writes a value within an array or object. One that has not the schema's type is written as it is stored. */
const writeInner = (from: BytePosition, shape: Shape | undefined, to: BytePosition): void => {
  const byte = from.view.getUint8(from.at)
  if (shape && 'members' in shape && byte === openObject) writeObject(from, shape, to)
  else if (shape && 'element' in shape && byte === openArray) writeArray(from, shape.element, to)
  else writeJson(from, endOfValue(from.view, from.at) - from.at, to)
}

/** Bytes of `{}`. */
const shortestObject = 2

/** A writer of a field's values, and how many times their length they may take. */
export const compactWriter = (schema: z.ZodType): { write: WriteValue; growth: number } => {
  const shape = shapeOf(schema)
  const write: WriteValue = (from, length, to) => {
    const end = from.at + length
    const first = from.view.getUint8(from.at + 1)
    // Any other value has no end that its text shows.
    if (first !== openArray && first !== openObject) {
      writeJson(from, length, to)
      return
    }
    from.at += 1
    writeInner(from, shape, to)
    from.at = end
  }
  return { write, growth: Math.max(largestGrowth, 1 + (shape?.growth ?? 0) / shortestObject) }
}
