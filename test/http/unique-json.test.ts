import fc from 'fast-check'
import t from 'tap'
import { parseUniqueJson } from '../../app/http/unique-json.ts'

t.test('JSON is read as ever', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, space) => {
      const text = JSON.stringify(value, null, space)
      t.same(parseUniqueJson(text), JSON.parse(text))
    }),
  )
  t.throws(() => parseUniqueJson('{"a":1'), SyntaxError)
  t.end()
})

t.test('an object with two members of one name is refused, however they are spelled', (t) => {
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
