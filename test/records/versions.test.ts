import t from 'tap'
import { defineResource } from '../../app/records/resources/define.ts'
import { resources } from '../../app/records/resources/index.ts'
import { computingOf } from './computing.ts'
import { checkVersion, format, judge } from './golden.ts'

const all = Object.values(resources)
for (const resource of all)
  t.test(`an answer of ${resource.name} that is computed in another way has another version`, async (t) => {
    const file = `app/records/resources/${resource.name}.ts`
    checkVersion(t, import.meta.filename, {
      name: resource.name,
      file,
      version: String(resource.version),
      computing: computingOf(resource),
    })
  })

t.test('the golden file finds a changed statement, condition, function and schema', async (t) => {
  const { certificates } = resources
  const computing = computingOf(certificates)
  const golden = format('1', computing)
  const mend = (computed: object) =>
    computingOf(defineResource({ ...certificates, computed: { ...certificates.computed, ...computed } }))
  const select = 'r.valid_until - :day + 1'
  t.match(judge(golden, '1', mend({ days_remaining: { select } })), [
    '?count=exact&include=product,project,country',
  ])
  const { expiring } = certificates.computed
  const where = { true: 'true', false: 'false' }
  t.same(judge(golden, '1', mend({ expiring: { ...expiring, where } })), [
    'expiring[eq]',
    'expiring[ne]',
    'expiring[in]',
    'expiring[nin]',
  ])
  for (const title of ['function find_customer', 'schema products']) {
    t.ok(computing.has(title), title)
    t.same(judge(golden, '1', new Map([...computing, [title, 'another']])), [title])
  }
  t.same(judge(golden, '2', mend({ days_remaining: { select } })), [], 'with another version')
  t.same(judge(golden, '1', new Map([...computing, ['schema visits', 'new']])), [], 'a new part')
  t.same(judge(golden, '1', new Map([...computing].slice(1))).length, 1, 'a part that is missing')
})
