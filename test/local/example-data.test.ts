import t, { type Test } from 'tap'
import { loadExampleData } from '../../app/local/example-data.ts'
import { listExampleData, listExampleStages, utcHour } from '../../app/local/example-records.ts'
import { loadReferenceData } from '../../app/local/reference/load.ts'
import { keepExampleDataCurrent } from '../../app/local/upkeep.ts'
import type { Field, Resource } from '../../app/records/resources/define.ts'
import { resources } from '../../app/records/resources/index.ts'
import { namesOfRows } from '../api/contract.ts'
import { until } from '../helper.ts'
import { openDatabase, ownedResources, product, type Row } from '../import/database.ts'

const database = await openDatabase(t)
const { query, take, fingerprint, operator } = database
await loadReferenceData(operator)

/** Reads the demo customer's records as the API shows them on a day. */
const readRecords = (resource: Resource, day: string): Promise<Row[]> => {
  const computed = [...resource.fields.values()].flatMap(({ name, computed }) =>
    computed ? [`${computed.select} as ${name}`] : [],
  )
  // The driver does not parse arrays of a composite type.
  if (resource.name === 'certificates') computed.push('to_jsonb(r.validity_periods) as validity_periods')
  const statement = `select ${['r.*', ...computed].join(', ')} from ${resource.name} r
    ${resource.reference ? '' : 'where r.customer_id = :customer'}`
  return query(
    statement
      .replaceAll(':day', `date '${day}'`)
      .replaceAll(':window', '90')
      .replaceAll(':customer', `'demo'`),
  )
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

/** Lists the possible values of a field that no record has. */
const listMissing = ({ name, nullable, array, kind, values, computed }: Field, rows: Row[]): string[] => {
  const seen = rows.map((row) => row[name])
  const flat = seen.flat()
  const missing = (values ?? []).filter((value) => !flat.includes(value)).map((value) => `${name}: ${value}`)
  if (nullable && !seen.includes(null)) missing.push(`${name}: null`)
  if (seen.every((value) => value === null)) missing.push(`${name}: not null`)
  if (array && seen.every(isEmpty)) missing.push(`${name}: elements`)
  if (array && !seen.some(isEmpty)) missing.push(`${name}: no elements`)
  if (computed && kind === 'boolean') {
    for (const value of [true, false]) if (!seen.includes(value)) missing.push(`${name}: ${value}`)
  }
  return missing
}

for (const day of ['2026-11-21', '2027-01-01', '2028-02-29']) {
  t.test(`on ${day} the example data contains every state and value, with and without null`, async (t) => {
    await loadExampleData(operator, day)
    for (const name of ownedResources) {
      const rows = await readRecords(resources[name], day)
      // Example data of a later resource are optional.
      if (rows.length === 0 && !namesOfRows.includes(name)) continue
      const missing = [...resources[name].fields.values()].flatMap((field) => listMissing(field, rows))
      t.strictSame(missing, [], name)
    }
    const certificates = await readRecords(resources.certificates, day)
    const days = certificates.flatMap((row) =>
      row.days_remaining === null ? [] : [Number(row.days_remaining)],
    )
    t.ok(days.includes(0), 'the last day of one')
    t.ok(days.includes(90) && days.includes(91), 'both sides of the window')
    t.ok(days.some((left) => left < 0))
    t.ok(certificates.some((row) => isEmpty(row.validity_periods)))
    const renewed = certificates.filter((row) => (row.validity_periods as unknown[]).length > 1)
    t.ok(
      renewed.some((row) => row.validity === 'valid' && !row.expiring),
      'renewed early',
    )
  })
}

t.test('the sizes fit a small company (records per resource)', async (t) => {
  const counts = Object.groupBy(listExampleData('2026-11-21'), (line) => String(line.resource))
  const expected = { products: 12, projects: 10, certificates: 60, approvals: 40, lab: 25 }
  for (const [resource, size] of Object.entries(expected)) {
    const count = counts[resource]?.length ?? 0
    t.ok(Math.abs(count - size) <= size / 5, `${resource}: ${count}`)
  }
})

t.test('references lead to records, except the one that shows a dangling reference', async (t) => {
  const lines = listExampleData('2026-11-21')
  const ids = new Set(lines.map((line) => line.id))
  const countries = new Set((await query('select id from countries')).map((row) => row.id))
  const dangling = lines.flatMap((line) =>
    Object.entries(line).flatMap(([name, value]) => {
      const known = name.endsWith('country_code') || name === 'country_codes' ? countries : ids
      if (!/(_id|_ids|country_code|country_codes)$/.test(name)) return []
      return [value]
        .flat()
        .filter((id) => id !== null && !known.has(id as string))
        .map((id) => `${line.id}.${name}: ${id}`)
    }),
  )
  t.strictSame(dangling, [
    'crt-starter-kit-de.product_id: prd-starter-kit',
    'crt-starter-kit-de.project_id: prj-0998-archive',
  ])
  t.equal(ids.size, lines.length)
})

t.test('after the load, triggers still fire in every session mode', async (t) => {
  const modes = await query(`select distinct tgenabled::text as mode from pg_trigger where not tgisinternal`)
  t.strictSame(modes, [{ mode: 'A' }])
})

t.test('loading again on the same day writes nothing', async (t) => {
  await loadExampleData(operator, '2026-11-21')
  const before = await fingerprint()
  await loadExampleData(operator, '2026-11-21')
  t.strictSame(await fingerprint(), before)
})

t.test('loading restores changed records, and leaves other customers alone', async (t) => {
  await take([product('mine')])
  await query(`delete from products where customer_id = 'demo' and id < 'prd-m'`)
  await query(`update projects set title = 'changed' where customer_id = 'demo'`)
  await take([product('stray', { customer: 'demo' })], { allowDemo: true })
  await query(`update customers set plan = 'basic' where customer_id = 'demo'`)
  await loadExampleData(operator, '2026-11-21')
  const lines = listExampleData('2026-11-21')
  const rows = await query(`select id from products where customer_id = 'demo'`)
  t.equal(rows.length, lines.filter((line) => line.resource === 'products').length)
  t.same(await query(`select id from projects where title = 'changed'`), [])
  t.same(await query(`select id from products where customer_id <> 'demo'`), [{ id: 'mine' }])
  t.match(await query(`select name, plan from customers where customer_id = 'demo'`), [
    { name: 'Example Devices GmbH', plan: 'premium' },
  ])
})

/** The statuses of a record from the first on, as history has them. */
const listStatuses = async (table: string, id: string, field: string): Promise<unknown[]> => {
  const former = await query(`select h.old ->> '${field}' as value from record_history h
    where h.customer_id = 'demo' and h.record_id = '${id}' and h.old ? '${field}' order by h.position`)
  const now = await query(
    `select ${field} as value from ${table} where customer_id = 'demo' and id = '${id}'`,
  )
  return [...former, ...now].map(({ value }) => value)
}

const toHour = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24')`

const round = 'preparing testing submitted in_review information_requested in_review granted'.split(' ')

/** After a first load of a day. */
const testStages = async (t: Test, day: string) => {
  const statuses = await listStatuses('approvals', 'apr-tracker-mini-au', 'status')
  const start = round.findIndex(
    (status, i) => status === statuses[0] && (statuses[1] ?? status) === (round[i + 1] ?? round[0]),
  )
  t.ok(statuses.length >= round.length, `${day}: ${statuses.length} stages`)
  t.same(
    statuses,
    statuses.map((_, i) => round[(start + i) % round.length]),
  )
  const certificate = await listStatuses('certificates', 'crt-smartlock-au', 'approval_status')
  t.match(certificate.join(), /approved,suspended|suspended,approved/)
  const [twice] = await query(`select count(*) filter (where old ? 'created_at')::integer as deletions
    from record_history where customer_id = 'demo' and record_id = 'crt-smartlock-au-twice'`)
  t.same(twice, { deletions: 1 }, 'a record that was entered twice and deleted')
  const stages = listExampleStages(day)
  const hours = stages.flatMap(({ hour, written }) =>
    written.some(({ id }) => id === 'apr-tracker-mini-au') ? [hour] : [],
  )
  const dated = await query(`select ${toHour('h.at')} as hour from record_history h
    where h.customer_id = 'demo' and h.record_id = 'apr-tracker-mini-au' order by h.position`)
  const [now] = await query(`select ${toHour('created_at')} as created, ${toHour('updated_at')} as updated
    from approvals where customer_id = 'demo' and id = 'apr-tracker-mini-au'`)
  t.same([now?.created, ...dated.map(({ hour }) => hour)], hours, 'each change has the hour of its stage')
  t.equal(now?.updated, hours.at(-1))
  const begun = await query(`select customer_id, ${toHour('min(since)')} as hour from history_begun
    where resource = 'approvals' group by 1 order by 1 desc`)
  t.match(begun, [{ customer_id: 'demo', hour: stages[0]?.hour }, { customer_id: '*' }])
  t.ok(
    String(begun[1]?.hour) >= utcHour().slice(0, 10),
    'history of other customers begins with the database',
  )
  t.same(await query(`select tgname from pg_trigger where tgenabled = 'D'`), [])
}

t.test('concurrent first loads write one round of stages, each with its hour, on any day', async (t) => {
  for (const day of ['2026-11-01', '2026-11-12', '2026-11-25']) {
    await query(`delete from customers where customer_id = 'demo'`)
    await Promise.all([loadExampleData(operator, day), loadExampleData(operator, day)])
    await testStages(t, day)
  }
})

t.test('a first load that is interrupted anywhere begins again', async (t) => {
  const day = '2026-11-25'
  // After the death of a process, PostgreSQL rolls back what it had not committed.
  for (const written of [
    `select from approvals where customer_id = 'demo'`,
    `select from record_history where customer_id = 'demo' offset 30`,
  ]) {
    await query(`delete from customers where customer_id = 'demo'`)
    const load = loadExampleData(operator, day)
    const isInterrupted = load.then(
      () => false,
      () => true,
    )
    await until('some stages are written', async () => (await query(written)).length > 0)
    await query(`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`)
    t.ok(await isInterrupted)
    t.ok(
      (await query(`select from approvals where customer_id = 'demo'`)).length > 0,
      'a part of the records is there',
    )
    await loadExampleData(operator, day)
    await testStages(t, day)
    t.equal(
      (await query(`select from approvals where customer_id = 'demo'`)).length,
      listExampleData(day).filter(({ resource }) => resource === 'approvals').length,
    )
  }
})

t.test('an hour that begins during the load at the start is loaded later, and only once', async (t) => {
  const loaded: string[] = []
  const local = {
    loadedHour: '2026-11-01T23',
    refreshExampleData: async (hour: string) => void loaded.push(hour),
  }
  let looks = 0
  const clock = () => {
    looks += 1
    return '2026-11-02T00'
  }
  const stop = keepExampleDataCurrent(local, { warn: () => {} }, { everyMs: 1, clock })
  await until('it has looked three times', () => looks > 2)
  await stop()
  t.same(loaded, ['2026-11-02T00'])
})

t.test('later days add each stage once', async (t) => {
  await query(`delete from customers where customer_id = 'demo'`)
  const first = Date.parse('2026-11-01')
  await loadExampleData(operator, '2026-11-01')
  const before = await listStatuses('approvals', 'apr-tracker-mini-au', 'status')
  for (let i = 1; i <= 28; i++)
    await loadExampleData(operator, new Date(first + i * 86_400_000).toISOString().slice(0, 10))
  const after = await listStatuses('approvals', 'apr-tracker-mini-au', 'status')
  t.equal(after.length - before.length, 7)
  t.same(after.slice(0, before.length), before)
  const held = await query(`select count(*)::integer as rows from record_history
    where customer_id = 'demo' and record_id = 'crt-smartlock-au' and old ? 'valid_from'`)
  t.match(held, [{ rows: 0 }], 'what has been so for years does not move')
})

t.test('the history of a record keeps at most 100 rows after any number of days', async (t) => {
  const listRows = () =>
    query(`select record_id, count(*)::integer as rows, min(position) filter (where old = '{}') is not null as "hasByteOrderMark"
      from record_history where customer_id = 'demo' and record_id = 'crt-lumen-gateway-kw' group by 1`)
  await loadExampleData(operator, '2026-11-21')
  await query(`insert into record_history (customer_id, resource, record_id, at, old)
    select 'demo', 'certificates', 'crt-lumen-gateway-kw', now(), '{"scheme": "x"}' from generate_series(1, 88)`)
  await loadExampleData(operator, '2026-11-22')
  t.match(await listRows(), [{ rows: 50, hasByteOrderMark: true }])
  await loadExampleData(operator, '2026-11-23')
  t.match(await listRows(), [{ rows: 51, hasByteOrderMark: true }])
})

t.test('loads the shipped countries once and never over newer facts', async (t) => {
  t.equal((await query('select id from countries')).length, 99)
  await query(`update countries set confidence = 'low' where id = 'US'`)
  t.equal(await loadReferenceData(operator), false)
  t.match(await query(`select confidence from countries where id = 'US'`), [{ confidence: 'low' }])
  await query(`update reference_data set digest = 'of an older release'`)
  t.equal(await loadReferenceData(operator), true)
  t.match(await query(`select confidence from countries where id = 'US'`), [{ confidence: 'high' }])
})

t.test('every resource of the contract is in the example data or the reference data', async (t) => {
  const present = new Set(listExampleData('2026-11-21').map((line) => line.resource))
  t.strictSame(
    namesOfRows.filter((name) => !present.has(name)),
    ['countries'],
  )
})
