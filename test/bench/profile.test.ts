import t from 'tap'
import { drawFlame } from '../../bench/profile/flame.ts'
import { type CpuProfile, getPlace, getRoom, readProfile, selfTimes } from '../../bench/profile/tree.ts'

const root = '/srv/project'
const file = (path: string) => `file://${root}/${path}`
const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  ...{ id, callFrame: { functionName, url, lineNumber: 6 }, children },
})

const profile: CpuProfile = {
  nodes: [
    node(1, '(root)', '', [2, 3, 4]),
    node(2, '(idle)', ''),
    node(3, 'answer', file('app/edge/edge.ts'), [5]),
    node(4, 'answer', file('app/edge/edge.ts'), [6]),
    node(5, 'writeHead', 'node:_http_server'),
    node(6, 'writeHead', 'node:_http_server'),
  ],
  startTime: 1_000,
  // At 1100, 1200, … 1600. The last sample has no duration.
  samples: [3, 5, 2, 6, 4, 3],
  timeDeltas: [100, 100, 100, 100, 100, 100],
}

t.test('a location names file, package or module, and never the project’s folder', async (t) => {
  t.equal(getPlace(file('app/edge/edge.ts'), root), 'app/edge/edge.ts')
  t.equal(getPlace(file('node_modules/@fastify/jwt/jwt.js'), root), '@fastify/jwt')
  t.equal(getPlace(file('node_modules/a/node_modules/pg/lib/client.js'), root), 'pg')
  t.equal(getPlace('file:///home/somebody/x.js', root), 'elsewhere')
  t.equal(getPlace('node:net', root), 'node:net')
  const rooms: [string, string, string][] = [
    ['app/cache/fence.ts', 'judge', 'app/cache'],
    ['plugins/gate.ts', 'f', 'plugins'],
    ['@fastify/jwt', 'f', '@fastify/jwt'],
    ['node:internal/streams/writable', 'write', 'node:streams'],
    ['', '(garbage collector)', '(garbage collector)'],
    ['', 'writev', 'native'],
  ]
  for (const [place, name, room] of rooms) t.equal(getRoom(place, name), room)
})

t.test('a profile becomes one tree of the time between two moments, idle apart', async (t) => {
  const { tree, idle } = readProfile(profile, root, 0, 10_000)
  t.equal(idle, 100)
  t.equal(tree.total, 400)
  t.match(tree.children, [
    {
      name: 'answer',
      place: 'app/edge/edge.ts:7',
      self: 200,
      total: 400,
      children: [{ name: 'writeHead', self: 200 }],
    },
  ])
  t.same(
    selfTimes(tree, ({ name }) => name),
    [
      ['answer', 200],
      ['writeHead', 200],
    ],
  )
  t.equal(readProfile(profile, root, 1_350, 10_000).tree.total, 200)
})

t.test('its drawing needs nothing from elsewhere', async (t) => {
  const { html } = drawFlame(readProfile(profile, root, 0, 10_000).tree)
  t.match(html, /width:50\.000%[^>]*title="writeHead node:_http_server:7 · 50\.0 %, itself 50\.0 %"/)
  t.notMatch(html, /https?:|src=/)
})
