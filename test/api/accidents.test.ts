import t from 'tap'
import { namedScopes } from '../../app/identity/scopes.ts'
import { resourceNames } from '../../app/records/resources/index.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase, publicUrl } from '../helper.ts'
import { accidents } from './accidents.ts'

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)
const { get } = await asCustomer(database, app, 'acme', { scopes: [...namedScopes] })

type Parameter = { name: string; in: string; schema?: { properties?: object }; style?: string }
type Operation = { parameters?: Parameter[]; security?: object[] }
type Problem = {
  status: number
  errors?: { parameter: string; code: string; detail: string }[]
  try?: string
}

const { paths } = (await get('/openapi.json')).json() as { paths: Record<string, { get?: Operation }> }
/** Checked after the other parameters, with errors of their own. */
const tokens = new Set(['cursor', 'after', 'lastEventId'])
const addresses = new Map<string, string[]>()
for (const [path, { get: operation }] of Object.entries(paths)) {
  const names = (operation?.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name)
  const asked = names.filter((name) => !tokens.has(name))
  // An address that contains its key is refused before its parameters are read.
  const takesToken = operation?.security?.length !== 0
  if (path.startsWith('/v1/') && takesToken && asked.length > 0) {
    addresses.set(path.replace(/\{\w+\}/g, 'x'), asked)
  }
}

const mostParameters = 30

t.test('no parameter of any address takes an accident of a client as a value', async (t) => {
  t.ok(addresses.size >= 2 * resourceNames.length, [...addresses.keys()].join())
  for (const [path, names] of addresses) {
    for (const accident of accidents) {
      const missed: string[] = []
      for (let at = 0; at < names.length; at += mostParameters) {
        const some = names.slice(at, at + mostParameters)
        const query = some.map((name) => `${name}=${encodeURIComponent(accident)}`).join('&')
        const answer = await get(`${path}${path.includes('?') ? '' : '?'}${query}`)
        const { errors = [] } = answer.json() as Problem
        const refused = new Set(errors.map(({ parameter }) => parameter))
        missed.push(...some.filter((name) => answer.statusCode !== 400 || !refused.has(name)))
      }
      t.same(missed, [], `${path} ${accident}`)
    }
  }
})

t.test('tokens that are an accident are refused, too', async (t) => {
  for (const accident of accidents) {
    const value = encodeURIComponent(accident)
    t.equal((await get(`/v1/products?cursor=${value}`)).statusCode, 400, accident)
  }
})

t.test('a proposed address contains no accident, and is accepted', async (t) => {
  for (const accident of accidents) {
    const answer = await get(`/v1/products?lmit=5&brand=${encodeURIComponent(accident)}`)
    t.equal(answer.statusCode, 400, `${accident} ${answer.body}`)
    const { try: address } = answer.json() as Problem
    if (address === undefined) continue
    const proposed = await get(address.slice(publicUrl.length))
    t.equal(proposed.statusCode, 200, `${accident}: ${address}`)
  }
})
