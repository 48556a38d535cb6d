import fc from 'fast-check'
import t from 'tap'
import { bindMessages } from '../../app/wire/bind-messages.ts'

type Read = { statement: string; values: (string | null)[]; resultFormats: number[]; rest: string }

/** Reads them as PostgreSQL does; throws where a length does not fit. */
const read = (bytes: Buffer): Read => {
  let at = 0
  const take = (length: number) => {
    at += length
    if (at > bytes.length) throw new Error('the bytes end too early')
    return bytes.subarray(at - length, at)
  }
  const text = () =>
    take(bytes.indexOf(0, at) + 1 - at)
      .toString('utf8')
      .slice(0, -1)
  const short = () => take(2).readInt16BE()
  const long = () => take(4).readInt32BE()
  const letter = take(1).toString()
  const end = at + long()
  const portal = text()
  const statement = text()
  const formats = short()
  const values = Array.from({ length: short() }, () => {
    const length = long()
    return length === -1 ? null : take(length).toString('utf8')
  })
  const resultFormats = Array.from({ length: short() }, short)
  if (letter !== 'B' || portal !== '' || formats !== 0 || at !== end) {
    throw new Error('this is no Bind of texts')
  }
  return { statement, values, resultFormats, rest: bytes.subarray(at).toString('latin1') }
}

t.test('values come as they were given, whatever they are, with Execute and Sync behind them', async (t) => {
  const value = fc.option(
    fc.string({ unit: 'grapheme', maxLength: 300 }).filter((text) => !text.includes('\0')),
  )
  fc.assert(
    fc.property(
      fc.constantFrom('', 'page_0123456789abcdef'),
      fc.array(value, { maxLength: 12 }),
      fc.array(fc.constantFrom(0 as const, 1 as const), { maxLength: 9 }),
      (name, values, resultFormats) => {
        t.same(read(bindMessages(name, values, resultFormats)), {
          statement: name,
          values,
          resultFormats,
          rest: 'E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04',
        })
      },
    ),
  )
})
