import t from 'tap'
import { defineResource, type Resource } from '../../app/records/resources/define.ts'
import { resources } from '../../app/records/resources/index.ts'
import { computeVersion, customVersion, getVersion } from '../../app/records/version.ts'

const { certificates, products, lab } = resources
const functions = new Map([
  ['find_customer', 'the first'],
  ['elsewhere', 'the first'],
])
const computing = { functions, pages: 'writers', custom: '' }

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

t.test('a change of the code that writes rows changes every version', async (t) => {
  t.same(changed({ pages: 'others' }), [true, true])
})

t.test('each resource has its own version, equal at each start', async (t) => {
  const versions = [certificates, products, lab].map(getVersion)
  t.equal(new Set([...versions, customVersion()]).size, 4)
  t.same(
    [certificates, products, lab].map((resource) => computeVersion(resource)),
    versions,
  )
})
