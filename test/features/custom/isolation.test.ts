import t from 'tap'
import { loadData } from '../../../app/features/custom/shipped.ts'
import { resources } from '../../../app/records/resources/index.ts'
import {
  type Customer,
  customers,
  getLure,
  getMark,
  listIds,
  others,
  owned,
  parameter,
  type Targets,
  testWalls,
} from '../../api/isolation-stage.ts'
import type { TestDatabase } from '../../helper.ts'
import { createStage } from './stage.ts'

/** Documents for all customers with every field and join, and one document for each customer. */
const documents = (): { text: string; to: readonly Customer[] }[] => {
  const everyone = [...customers]
  const lists = owned.map((name) => {
    const { fields, includes } = resources[name]
    const pick = (target: string) => [...resources[target as 'lab'].fields.keys()]
    type Join = { to: string; on: string; pick: string[] }
    const joins = Object.entries(includes).map(([alias, { resource, by }]): [string, Join] => [
      `${alias}_`,
      { to: resource, on: by, pick: pick(resource) },
    ])
    const many = { products: ['approvals', 'product_id'], certificates: ['lab', 'certificate_id'] }[
      String(name)
    ]
    const [to = '', by] = many ?? []
    if (many && joins.length < 3)
      joins.push(['many_', { to, on: 'id', many_on: by, limit: 50, pick: pick(to) } as object as Join])
    const select = [
      ...[...fields.keys()].map((field) => [field, field]),
      ...joins.flatMap(([alias, join]) =>
        alias === 'many_'
          ? [[alias, alias]]
          : join.pick.map((field) => [`${alias}${field}`, `${alias}.${field}`]),
      ),
    ].slice(0, 100)
    const filters = [...fields.values()].filter(({ filter }) => filter).map((field) => field.name)
    const from = { from: name, joins: Object.fromEntries(joins), filters }
    return { name: `all-${name}`, revision: 1, list: { ...from, select: Object.fromEntries(select) } }
  })
  const first = owned.map((name) => [
    name,
    {
      first: { from: name, where: { id: '$id' } },
      select: { id: 'id', tags: 'tags', created_at: 'created_at' },
    },
  ])
  const probe = {
    name: 'probe',
    revision: 1,
    params: { id: { type: 'string' } },
    object: Object.fromEntries(first),
  }
  const groups = {
    name: 'groups',
    revision: 1,
    object: {
      certificates: { count_by: { from: 'certificates' }, fields: ['scheme', 'authority'] },
      approvals: { count_by: { from: 'approvals' }, fields: ['scheme'] },
      names: { list: { from: 'products' }, value: 'name', limit: 50 },
      merged: {
        merge: ['products', 'lab'].map((from) => ({ from, select: { id: 'id', tags: 'tags' } })),
        by: 'id',
        limit: 50,
      },
    },
  }
  return [
    ...[...lists, probe, groups].map((document) => ({ text: JSON.stringify(document), to: everyone })),
    ...customers.map((customer) => ({
      text: JSON.stringify({
        name: `only-${customer}`,
        revision: 1,
        object: { is: { const: getMark(customer) } },
      }),
      to: [customer],
    })),
  ]
}

const seedDocuments = async (on: TestDatabase) => {
  await loadData(on.operator)
  const { apply, grant } = createStage(on)
  for (const { text, to } of documents()) {
    await apply(text)
    for (const customer of to) await grant(JSON.parse(text).name, customer)
  }
  for (const customer of customers) await grant('market-access', customer)
}

const customTargets = (route: string, customer: Customer): Targets => {
  const at = (name: string) => route.replace(parameter, name)
  const ids = customers.flatMap((each) => [listIds(each)[0], getLure(each)])
  const [stranger] = others(customer) as [Customer]
  const own = [
    ...owned.flatMap((name) => [
      `all-${name}?limit=500`,
      `all-${name}?limit=2&count=exact`,
      `all-${name}?id=${listIds(stranger)[0]},${getLure(stranger)},${listIds(customer)[0]}`,
    ]),
    ...ids.map((id) => `probe?id=${id}`),
    // This endpoint repeats the requested id, so lures are no leak.
    ...customers.map((each) => `market-access?country_code=JP&product_id=${getLure(each)}`),
    'groups',
    'dashboard-overview',
    `only-${customer}`,
  ]
  const foreign = others(customer).map((other) => at(`only-${other}`))
  return { own: own.map(at), foreign }
}

await testWalls(t, {
  isWalked: (route) => route.endsWith('/custom/:name'),
  listTargets: customTargets,
  seedMore: seedDocuments,
  tables: [...owned, 'elements', 'removals', 'record_history'],
  leakingRoutes: ['custom'],
  exportFormats: [],
  least: {
    answers: 90,
    visible: 25,
    answersOfOne: 45,
    visibleOfOne: 20,
    conditions: 100,
    leaks: 20,
    heads: 0,
  },
})
