import { sql } from 'kysely'
import t from 'tap'
import { z } from 'zod'
import { compactJson } from '../../app/records/sql/json-text.ts'
import { createTestDatabase } from '../helper.ts'
import { cases, fc } from '../random.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

const inner = z.object({ 'a "b"': z.int().nullable(), c: z.array(z.string()) })
const schema = z.array(z.object({ from: z.string(), until: z.string().nullable(), basis: inner.nullable() }))

const show = async (value: string): Promise<string> => {
  const { rows } = await sql<{ json: string }>`
    select row_to_json(x)::text as json
    from (select ${sql.raw(compactJson(schema, 'v.value'))} as value from (select ${value}::jsonb as value) v) x
  `.execute(database.operator)
  return (rows[0]?.json ?? '').replace(/^\{"value":(.*)\}$/s, '$1')
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((each) => each.replaceAll('\0', ''))
const basis = fc.record({ 'a "b"': fc.option(fc.integer()), c: fc.array(text, { maxLength: 3 }) })
const period = fc.record({ from: text, until: fc.option(text), basis: fc.option(basis) })

const ordered = (periods: readonly Record<string, unknown>[]): unknown =>
  periods.map(({ from, until, basis }) => {
    const { 'a "b"': a, c } = (basis ?? {}) as Record<string, unknown>
    return { from, until, basis: basis ? { 'a "b"': a, c } : null }
  })

t.test('objects inside records are compact, with their members in the order of the schema', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(period, { maxLength: 3 }), async (periods) => {
      const stored = periods.map((each) => Object.fromEntries(Object.entries(each).reverse()))
      t.equal(await show(JSON.stringify(stored)), JSON.stringify(ordered(periods)))
    }),
    { numRuns: cases(100) },
  )
})

t.test('a missing member is null, and an unknown one is left out', async (t) => {
  t.equal(await show('[{"other":1,"from":"x"}]'), '[{"from":"x","until":null,"basis":null}]')
})

t.test('a value of another type than the schema has is shown as it is stored', async (t) => {
  for (const value of ['null', '7', '"x"', '{"a": 1}']) t.equal(await show(value), value)
  t.equal(await show('[7, {"basis": "x"}]'), '[7,{"from":null,"until":null,"basis":"x"}]')
})
