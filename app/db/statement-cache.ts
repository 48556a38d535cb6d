import { hash } from 'node:crypto'
import { createQueryId, PostgresQueryCompiler, type RawBuilder } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { NamedStatement } from './connect.ts'

type ReadValue<Input> = (input: Input) => unknown

const reader = Symbol('reader')

/** A parameter of a statement whose value is read from each input. */
type Slot<Input> = Readonly<{ [reader]: ReadValue<Input> }>

const isSlot = (parameter: unknown): parameter is Slot<never> =>
  typeof parameter === 'object' && parameter !== null && reader in parameter

/** Creates a slot. Its type is the type of its value, so that one function builds a statement from either. */
export type CreateSlot<Input> = <Value>(read: (input: Input) => Value) => Value

const createSlot = <Input, Value>(read: (input: Input) => Value): Value => {
  const slot: Slot<Input> = { [reader]: read }
  return slot as unknown as Value
}

/** Converts a value, or the value that a slot will read. */
export const convertParameter = (parameter: string, convert: (value: string) => string): string => {
  if (!isSlot(parameter)) return convert(parameter)
  const read = parameter[reader] as (input: unknown) => string
  return createSlot((input: unknown) => convert(read(input)))
}

type Compiled = { text: string; values: readonly unknown[] }
type CachedStatement<Input> = {
  name: string | undefined
  text: string
  parameters: readonly ReadValue<Input>[]
}

const toReader = <Input>(parameter: unknown): ReadValue<Input> => {
  if (isSlot(parameter)) return parameter[reader] as ReadValue<Input>
  if (!Array.isArray(parameter)) return () => parameter
  const elements = parameter.map((each) => toReader<Input>(each))
  return (input) => elements.map((read) => read(input))
}

type Options<Input> = {
  /** Inputs with the same shape differ only in values. */
  getShape: (input: Input) => string
  /** Compiles the statement with a slot for each value. */
  compile: (input: Input, slot: CreateSlot<Input>, isPrepared: boolean) => Compiled
  /** Whether one plan of PostgreSQL fits all values of the shape. */
  isPrepared: (input: Input) => boolean
  /** Of the names of prepared statements. */
  prefix: string
  maxPrepared: number
  maxTexts: number
  /** Milliseconds. */
  now: () => number
}

export type StatementCache<Input> = {
  /** Returns the cached statement with the input's values. `undefined` if the caller must compile it. */
  find(input: Input): NamedStatement | undefined
}

const usesBefore = 3
/** Of the shapes that are counted. */
const countedShapes = 1_000
/** Minimum time between replacements: PostgreSQL frees a statement only when its connection ends. */
const dropEveryMs = 10_000

/** Keeps one statement for inputs that differ in values only, because compiling and planning are expensive. */
export const createStatementCache = <Input>(options: Options<Input>): StatementCache<Input> => {
  const { getShape, compile, isPrepared, prefix, maxPrepared, maxTexts, now } = options
  const uses = new LRUCache<string, number>({ max: countedShapes })
  const prepared = new LRUCache<string, CachedStatement<Input>>({ max: maxPrepared })
  const texts = new LRUCache<string, CachedStatement<Input>>({ max: maxTexts })
  let droppedAt = Number.NEGATIVE_INFINITY

  const isUsed = (shape: string): boolean => {
    const count = (uses.get(shape) ?? 0) + 1
    uses.set(shape, count)
    return count > usesBefore
  }
  const mayPrepare = (): boolean => {
    if (prepared.size < maxPrepared) return true
    if (now() - droppedAt < dropEveryMs) return false
    droppedAt = now()
    return true
  }

  const make = (input: Input, isNamed: boolean): CachedStatement<Input> => {
    const { text, values } = compile(input, createSlot, isNamed)
    const name = isNamed ? `${prefix}_${hash('sha256', text).slice(0, 16)}` : undefined
    return { name, text, parameters: values.map((value) => toReader<Input>(value)) }
  }
  const addStatement = (shape: string, input: Input): CachedStatement<Input> | undefined => {
    const isNamed = isPrepared(input)
    if (!isUsed(shape) || (isNamed && !mayPrepare())) return undefined
    const statement = make(input, isNamed)
    ;(isNamed ? prepared : texts).set(shape, statement)
    return statement
  }

  return {
    find(input) {
      const shape = getShape(input)
      const statement = prepared.get(shape) ?? texts.get(shape) ?? addStatement(shape, input)
      if (!statement) return undefined
      const { name, text, parameters } = statement
      return { name, text, values: parameters.map((read) => read(input)) }
    },
  }
}

/** Compiles a statement for the driver. */
export const compile = (statement: RawBuilder<unknown>): { text: string; values: unknown[] } => {
  const { sql, parameters } = new PostgresQueryCompiler().compileQuery(
    statement.toOperationNode(),
    createQueryId(),
  )
  return { text: sql, values: [...parameters] }
}
