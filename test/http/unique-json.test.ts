import t from 'tap'
import { findJsonFault } from '../../app/http/json-fault.ts'
import { parseUniqueJson } from '../../app/http/unique-json.ts'
import { cases, fc } from '../random.ts'

t.test('parses valid JSON as JSON.parse does', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, space) => {
      const text = JSON.stringify(value, null, space)
      t.same(parseUniqueJson(text), JSON.parse(text))
    }),
  )
  t.throws(() => parseUniqueJson('{"a":1'), SyntaxError)
  t.end()
})

t.test('refuses an object with a repeated member in any spelling', (t) => {
  const bad = [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061" : 2}',
    '{"x":{"a":[{"b":1}],"a":2}}',
    '[{"a":{},"b":"}","a":0}]',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
  ]
  for (const text of bad) t.throws(() => parseUniqueJson(text), /two members/, text)
  const good = [
    '{"a":{"a":{"a":1}},"b":"a"}',
    '[{"a":1},{"a":1}]',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":["a","a"]}',
  ]
  for (const text of good) t.same(parseUniqueJson(text), JSON.parse(text), text)
  t.end()
})

t.test('reports a fault exactly if the text is not JSON or repeats a name', (t) => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  t.equal(findJsonFault(nested), undefined)
  t.equal(parseUniqueJson(nested)?.constructor, Array, 'depth does not exhaust the stack')
  const pieces = '{ } [ ] : , "a" "b\\u0063" "\\x" " 1 -0.5e+3 01 .5 true nul'.split(' ').concat(' ', '\n')
  const isJson = (text: string) => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.tuple(fc.jsonValue(), fc.nat(), fc.constantFrom(...pieces, '')).map(([value, at, piece]) => {
      const json = JSON.stringify(value)
      const place = at % (json.length + 1)
      return json.slice(0, place) + piece + json.slice(place + 1)
    }),
  )
  fc.assert(
    fc.property(text, (text) => {
      const fault = findJsonFault(text)
      if (isJson(text)) t.ok(fault === undefined || fault.detail.startsWith('two members'), text)
      else t.ok(fault && fault.position <= text.length, text)
    }),
    { numRuns: cases(500) },
  )
  t.end()
})

t.test('a fault has its position', (t) => {
  const faults: [text: string, position: number, detail: RegExp][] = [
    ['{"a": 1', 7, /ends too early/],
    ['', 0, /ends too early/],
    ['{"a": x}', 6, /expected a value/],
    ['{"a": 1,}', 8, /expected a name/],
    ['{"a" 1}', 5, /":"/],
    ['{"a": "b}', 6, /no closing quote/],
    ['{"a": 1}{', 8, /nothing after/],
    ['[1, 2}', 5, /closing bracket/],
    ['{"a": 1, "a": 2}', 9, /two members are named "a"/],
  ]
  for (const [text, position, detail] of faults) t.match(findJsonFault(text), { position, detail }, text)
  t.end()
})
