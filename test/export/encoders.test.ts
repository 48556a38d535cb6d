import { sql } from 'kysely'
import t from 'tap'
import { writeCsv } from '../../app/export/csv.ts'
import { writeLines } from '../../app/export/json-lines.ts'
import type { Cell, Row } from '../../app/export/rows.ts'
import type { ColumnKind, ExportColumn } from '../../app/records/sql/column.ts'
import { cases, fc } from '../random.ts'
import { parseCells, splitTexts, unguard } from './csv.ts'
import { collect, inBatches, wildText } from './rows.ts'

const column = (name: string, kind: ColumnKind): ExportColumn => ({ name, kind, value: sql`null` })
const columns = [
  column('a', 'text'),
  column('list', 'texts'),
  column('n', 'integer'),
  column('yes', 'boolean'),
  column('object', 'json'),
  column('on', 'token'),
]

const toCsv = async (rows: readonly Row[], of = columns, hasMark = false): Promise<string> =>
  (await collect(writeCsv(inBatches(rows), of, hasMark))).toString()

const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 5 })
const row = fc.tuple(
  nullable(wildText),
  fc.array(wildText, { maxLength: 4 }),
  nullable(fc.integer({ min: -2_000_000, max: 2_000_000 })),
  nullable(fc.boolean()),
  nullable(fc.dictionary(fc.constantFrom('x', 'y'), wildText).map((object) => JSON.stringify(object))),
  nullable(fc.constantFrom('2026-11-21', '0001-01-01')),
)

const formula = /^[=+\-@\t\r]/

t.test('every value of a CSV file can be read back, and no text is a formula', async (t) => {
  const property = fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
    const [names, ...cells] = parseCells(await toCsv(rows))
    const read = cells.map(([a, list, n, yes, object, on]) => [
      a && unguard(a),
      splitTexts(list as string | null),
      n === null ? null : Number(n),
      yes === null ? null : yes === 'true',
      object,
      on,
    ])
    const texts = cells.flatMap((cell) => cell.slice(0, 2))
    return (
      JSON.stringify(names) === JSON.stringify(columns.map(({ name }) => name)) &&
      JSON.stringify(read) === JSON.stringify(rows) &&
      !texts.some((each) => each && formula.test(each))
    )
  })
  await t.resolves(fc.assert(property, { numRuns: cases(1_000) }))
})

t.test('the bytes of a CSV file', async (t) => {
  const table: [ColumnKind, Cell, string][] = [
    ['text', null, ''],
    ['text', '', '""'],
    ['text', 'plain', 'plain'],
    ['text', 'a,b', '"a,b"'],
    ['text', 'say "yes"', '"say ""yes"""'],
    ['text', 'two\nlines', '"two\nlines"'],
    ['text', 'a\rb', '"a\rb"'],
    ['text', '=1+1', "'=1+1"],
    ['text', "'=1+1", "''=1+1"],
    ['text', "'quoted'", "'quoted'"],
    ['text', '-5', "'-5"],
    ['text', '\ttab', "'\ttab"],
    ['text', '@x,"', '"\'@x,"""'],
    ['text', ' =1', '" =1"'],
    ['integer', -5, '-5'],
    ['number', '-12.50', '-12.50'],
    ['boolean', true, 'true'],
    ['boolean', false, 'false'],
    ['token', '2026-01-31', '2026-01-31'],
    ['instant', '2026-04-25T11:02:03.000001Z', '2026-04-25T11:02:03.000001Z'],
    ['texts', [], ''],
    ['texts', [''], '""'],
    ['texts', ['a', 'b'], 'a;b'],
    ['texts', ['a;b', 'c\\'], 'a\\;b;c\\\\'],
    ['texts', [null, 'NULL'], ';NULL'],
    ['texts', ['=x'], "'=x"],
    ['json', '{"a":-1}', '"{""a"":-1}"'],
  ]
  for (const [kind, cell, expected] of table)
    t.equal(await toCsv([[cell]], [column('x', kind)]), `x\r\n${expected}\r\n`, `${kind} ${cell}`)
  t.equal(await toCsv([], [column('a "b", c', 'text')]), '"a ""b"", c"\r\n', 'names without rows')
  t.equal(await toCsv([['1']], [column('x', 'text')], true), '\ufeffx\r\n1\r\n')
})

t.test('NDJSON is a line for each row', async (t) => {
  const lines = await collect(writeLines(inBatches([['{"a":1}'], ['{"a":"\\n"}'], ['{}']])))
  t.equal(lines.toString(), '{"a":1}\n{"a":"\\n"}\n{}\n')
  t.equal((await collect(writeLines(inBatches([])))).length, 0)
})
