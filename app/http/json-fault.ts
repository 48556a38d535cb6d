export type JsonFault = Readonly<{ position: number; detail: string }>

const string = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*"`
const scalar = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`
/** Groups: a structural character (RFC 8259, section 2), or a string; otherwise another scalar. */
const token = new RegExp(`([{}[\\],:])|(${string})|${scalar}`, 'y')
const blank = /[\t\n\r ]*/y

type State = 'value' | 'element' | 'name' | 'member' | 'colon' | 'nextMember' | 'nextElement' | 'end'
/** By token, the next state. `after`: a value is complete, so the next state depends on the object or array around. */
type Transitions = Readonly<Record<string, State | 'after'>>

const value: Transitions = { '{': 'member', '[': 'element', string: 'after', scalar: 'after' }
const separator = '"," or the closing bracket'
const grammar: Readonly<Record<State, { expected: string; next: Transitions }>> = {
  value: { expected: 'a value', next: value },
  element: { expected: 'a value or "]"', next: { ...value, ']': 'after' } },
  name: { expected: 'a name in double quotes', next: { string: 'colon' } },
  member: { expected: 'a name in double quotes or "}"', next: { string: 'colon', '}': 'after' } },
  colon: { expected: '":"', next: { ':': 'value' } },
  nextMember: { expected: separator, next: { ',': 'name', '}': 'after' } },
  nextElement: { expected: separator, next: { ',': 'value', ']': 'after' } },
  end: { expected: 'nothing after the value', next: {} },
}

/** The names of each open object so far. `undefined` for an open array. */
type Open = (Set<string> | undefined)[]

const getStateAfterValue = (open: Open): State => {
  if (open.length === 0) return 'end'
  return open.at(-1) ? 'nextMember' : 'nextElement'
}

const skipBlank = (json: string, position: number): number => {
  blank.lastIndex = position
  blank.exec(json)
  return blank.lastIndex
}

const readToken = (json: string, position: number) => {
  token.lastIndex = position
  const [text, sign, string] = token.exec(json) ?? []
  return { text, kind: sign ?? (string === undefined ? 'scalar' : 'string') }
}

const isRepeated = (names: Set<string> | undefined, text: string): boolean => {
  const name = JSON.parse(text) as string
  const isKnown = names?.has(name) === true
  names?.add(name)
  return isKnown
}

/** Finds the first syntax error (RFC 8259) or duplicate name. `undefined` if there is none. Skips a byte order mark. */
export const findJsonFault = (json: string): JsonFault | undefined => {
  const open: Open = []
  let state: State = 'value'
  let position = skipBlank(json, json.startsWith('\ufeff') ? 1 : 0)
  while (position < json.length) {
    const { text, kind } = readToken(json, position)
    if (text === undefined && json[position] === '"')
      return { position, detail: 'this text has no closing quote, or a character that must be escaped' }
    const next: State | 'after' | undefined = grammar[state].next[kind]
    if (text === undefined || !next) return { position, detail: `expected ${grammar[state].expected}` }
    if (next === 'colon' && isRepeated(open.at(-1), text))
      return { position, detail: `two members are named ${text.slice(0, 80)}` }
    if (kind === '{' || kind === '[') open.push(kind === '{' ? new Set() : undefined)
    if (kind === '}' || kind === ']') open.pop()
    state = next === 'after' ? getStateAfterValue(open) : next
    position = skipBlank(json, position + text.length)
  }
  if (state === 'end') return undefined
  return { position, detail: `it ends too early, expected ${grammar[state].expected}` }
}
