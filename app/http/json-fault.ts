export type JsonFault = Readonly<{ position: number; detail: string }>

const string = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*"`
const scalar = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`
/** Groups: a structural character (RFC 8259, section 2), or a string; otherwise another scalar. */
const token = new RegExp(`([{}[\\],:])|(${string})|${scalar}`, 'y')
const blank = /[\t\n\r ]*/y

const expected = {
  value: 'a value',
  element: 'a value or "]"',
  name: 'a name in double quotes',
  member: 'a name in double quotes or "}"',
  colon: '":"',
  next: '"," or the closing bracket',
  end: 'nothing after the value',
} as const
type State = keyof typeof expected

/** The names of each open object so far. `undefined` for an open array. */
type Open = (Set<string> | undefined)[]

const step = (state: State, open: Open, sign: string | undefined, isString: boolean): State | undefined => {
  const afterValue = (): State => (open.length === 0 ? 'end' : 'next')
  const inObject = open.at(-1) !== undefined
  const isClosing = sign === (inObject ? '}' : ']')
  if (isClosing && (state === 'next' || state === 'element' || state === 'member')) {
    open.pop()
    return afterValue()
  }
  if (state === 'name' || state === 'member') return isString ? 'colon' : undefined
  if (state === 'colon') return sign === ':' ? 'value' : undefined
  if (state === 'next') return sign === ',' ? (inObject ? 'name' : 'value') : undefined
  if (state === 'end') return undefined
  if (sign === undefined) return afterValue()
  if (sign !== '{' && sign !== '[') return undefined
  open.push(sign === '{' ? new Set() : undefined)
  return sign === '{' ? 'member' : 'element'
}

/** Finds the first syntax error (RFC 8259) or duplicate name. `undefined` if there is none. Skips a byte order mark. */
export const findJsonFault = (json: string): JsonFault | undefined => {
  const open: Open = []
  let state: State = 'value'
  let position = json.startsWith('\ufeff') ? 1 : 0
  for (;;) {
    blank.lastIndex = position
    blank.exec(json)
    position = blank.lastIndex
    if (position === json.length) {
      return state === 'end'
        ? undefined
        : { position, detail: `it ends too early, expected ${expected[state]}` }
    }
    token.lastIndex = position
    const [text, sign, string] = token.exec(json) ?? []
    if (text === undefined && json[position] === '"') {
      return { position, detail: 'this text has no closing quote, or a character that must be escaped' }
    }
    if (string !== undefined && (state === 'name' || state === 'member')) {
      const name = JSON.parse(string) as string
      const names = open.at(-1)
      if (names?.has(name)) return { position, detail: `two members are named ${string.slice(0, 80)}` }
      names?.add(name)
    }
    const next: State | undefined =
      text === undefined ? undefined : step(state, open, sign, string !== undefined)
    if (text === undefined || next === undefined) return { position, detail: `expected ${expected[state]}` }
    state = next
    position += text.length
  }
}
