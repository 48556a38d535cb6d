import t from 'tap'
import { historyVersion } from '../../../app/features/history/history.ts'
import { listHistory } from '../../../app/features/history/list-statement.ts'
import { recordHistory } from '../../../app/features/history/record-statement.ts'
import type { Resource } from '../../../app/records/resources/define.ts'
import { resources } from '../../../app/records/resources/index.ts'
import { type Computing, moment, show, withFunctions } from '../../records/computing.ts'
import { checkVersion } from '../../records/golden.ts'

const all = Object.values(resources)

const toPosition = ({ name }: Resource) => ({ customerId: 'acme', limit: 50, after: ['', name, '', ''] })

const computingOfList = (last: Resource, ...others: Resource[]): [string, string] => [
  `history of ${[...others, last].map(({ name }) => name).join(' and ')}`,
  show(listHistory({ ...toPosition(last), resources: [...others, last], since: '2026-01-01T00:00:00Z' })),
]

const computingOfHistory = (): Computing => {
  const parts = all.flatMap((resource): [string, string][] => [
    computingOfList(resource),
    [
      `history of a record of ${resource.name}`,
      show(recordHistory({ ...toPosition(resource), resource, id: 'x', day: moment.today })),
    ],
  ])
  return withFunctions([computingOfList(resources.products, resources.certificates), ...parts])
}

t.test('a history that is computed in another way has another version', async (t) => {
  checkVersion(t, import.meta.filename, {
    name: 'history',
    file: 'app/features/history/history.ts',
    version: historyVersion([]),
    computing: computingOfHistory(),
  })
})

const raise = (resource: Resource): Resource => ({ ...resource, version: resource.version + 1 })

t.test('the keys of histories contain the versions of the resources', async (t) => {
  const { products, lab } = resources
  t.not(historyVersion([products]), historyVersion([raise(products)]))
  t.not(historyVersion([products, raise(lab)]), historyVersion([raise(products), lab]))
})
