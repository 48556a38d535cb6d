import pg from 'pg'
import t from 'tap'
import { certificates, computeCertificate } from '../../app/records/resources/certificates.ts'
import { approvalStatus } from '../../schemas/certificate.ts'
import { testPostgres } from '../servers.ts'

const day = '2026-11-21'
const windowDays = 90
const dates = [null, '2026-11-20', day, '2026-11-22', '2027-02-19', '2027-02-20']
const cases = approvalStatus.options.flatMap((approval_status) =>
  dates.flatMap((valid_from) => dates.map((valid_until) => ({ approval_status, valid_from, valid_until }))),
)

t.test('a certificate in memory has the same computed fields as in the database', async (t) => {
  const server = await testPostgres()
  const client = new pg.Client(server.url)
  t.teardown(async () => {
    await client.end()
    await server.stop()
  })
  await client.connect()
  const toSql = (name: 'validity' | 'expiring') =>
    certificates.computed[name]?.select
      .replaceAll(':day', `'${day}'::date`)
      .replaceAll(':window', String(windowDays))
  const { rows } = await client.query(
    `select ${toSql('validity')} as validity, ${toSql('expiring')} as expiring
     from (
       select approval_status, coalesce(valid_from, 'infinity') as valid_from_sort,
         coalesce(valid_until, 'infinity') as valid_until_sort
       from rows from (jsonb_to_recordset($1) as (approval_status text, valid_from date, valid_until date))
         with ordinality as r(approval_status, valid_from, valid_until, place)
       order by place
     ) r`,
    [JSON.stringify(cases)],
  )
  t.equal(rows.length, cases.length)
  t.same(
    cases.map((each) => computeCertificate(each, day, windowDays)),
    rows,
  )
  t.equal(new Set(rows.map(({ validity }) => validity)).size, 4)
})
