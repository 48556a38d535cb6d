import { readFileSync } from 'node:fs'
import t from 'tap'
import { defineResource, type Resource } from '../../app/records/resources/define.ts'
import { resources } from '../../app/records/resources/index.ts'
import { computeVersion, customVersion, getVersion, shippedComputing } from '../../app/records/version.ts'

const { certificates, products, lab } = resources
const functions = new Map([
  ['find_customer', 'the first'],
  ['elsewhere', 'the first'],
])
const computing = { functions, records: 'sources', custom: '' }

/** Whether the version of each resource changes with `other`. */
const changed = (other: Partial<typeof computing>, of: Resource[] = [certificates, products]) =>
  of.map(
    (resource) =>
      computeVersion(resource, computing) !== computeVersion(resource, { ...computing, ...other }),
  )

t.test('a corrected expression changes the version of its resource', async (t) => {
  const mended = defineResource({
    ...certificates,
    computed: { ...certificates.computed, days_remaining: { select: 'r.valid_until - :day + 1' } },
  })
  t.not(computeVersion(mended), computeVersion(certificates))
  const filtered = defineResource({
    ...certificates,
    computed: {
      ...certificates.computed,
      expiring: {
        ...(certificates.computed.expiring as { select: string }),
        where: { true: 'true', false: 'false' },
      },
    },
  })
  t.not(computeVersion(filtered), computeVersion(certificates), 'as a filter alone, too')
})

t.test('a changed SQL function changes only the versions of resources that call it', async (t) => {
  t.same(changed({ functions: new Map([...functions, ['find_customer', 'another']]) }), [true, false])
  t.same(changed({ functions: new Map([...functions, ['elsewhere', 'another']]) }), [false, false])
})

t.test('a changed source of records changes every version', async (t) => {
  t.same(changed({ records: 'others' }), [true, true])
})

t.test('all sources that decide an answer are hashed', async (t) => {
  const { records, custom } = shippedComputing()
  const read = (file: string) => readFileSync(new URL(`../../app/${file}.ts`, import.meta.url), 'utf8')
  for (const name of ['records', 'query/values', 'query/plan', 'sql/conditions', 'history/states'])
    t.ok(records.includes(read(`records/${name}`)), name)
  for (const name of ['bind', 'parameter', 'sql/read']) t.ok(custom.includes(read(`custom/${name}`)), name)
})

t.test('each resource has its own version, equal at each start', async (t) => {
  const versions = [certificates, products, lab].map(getVersion)
  t.equal(new Set([...versions, customVersion()]).size, 4)
  t.same(
    [certificates, products, lab].map((resource) => computeVersion(resource)),
    versions,
  )
})
