import t from 'tap'
import { createFlush } from '../../app/audit/flush.ts'
import type { AuditEvent } from '../../app/audit/record.ts'

const listEvents = (count: number): AuditEvent[] =>
  Array.from({ length: count }, (_, n) => ({ actor: 'key', action: 'reads', details: { n } }))

const open = () => {
  const state = { counted: [] as AuditEvent[], written: [] as AuditEvent[], left: Number.POSITIVE_INFINITY }
  const lost: number[] = []
  const batches: number[] = []
  const flush = createFlush({
    drain: function* () {
      for (const counted = state.counted.splice(0); counted.length > 0; ) yield counted.splice(0, 700)
    },
    write: async (events) => {
      if (state.left-- <= 0) throw new Error('away')
      batches.push(events.length)
      state.written = state.written.concat(events)
    },
    onLost: (count) => lost.push(count),
  })
  const numbers = () => state.written.map(({ details }) => details?.n)
  return { state, flush, lost, batches, numbers }
}

t.test('a minute of many entries is written whole while the database takes them', async (t) => {
  const { state, flush, lost, batches } = open()
  // More than the arguments that a call can have in V8.
  state.counted = listEvents(200_500)
  await flush()
  t.equal(state.written.length, 200_500)
  t.ok(Math.max(...batches) <= 200)
  t.same(lost, [])
})

t.test('the number of unsent events is bounded, and losses are logged', async (t) => {
  const { state, flush, lost, numbers } = open()
  state.counted = listEvents(30_000)
  state.left = 25
  await t.rejects(flush(), /away/)
  t.equal(state.written.length, 5_000)
  t.same(lost, [5_000])
  state.left = Number.POSITIVE_INFINITY
  await flush()
  t.same(
    numbers(),
    listEvents(25_000).map(({ details }) => details?.n),
    'in their order, each once',
  )
  t.same(lost, [5_000])
})

t.test('a minute’s entries are made as the database takes them, not all before', async (t) => {
  let [made, written, most] = [0, 0, 0]
  const flush = createFlush({
    drain: function* () {
      for (; made < 10_000; made += 500) yield listEvents(500)
    },
    write: async ({ length }) => {
      most = Math.max(most, made - written)
      written += length
    },
    onLost: () => t.fail('nothing is lost'),
  })
  await flush()
  t.equal(written, 10_000)
  t.ok(most <= 1_500, `${most} at once`)
})

t.test('calls at the same time are one', async (t) => {
  const { state, flush } = open()
  state.counted = listEvents(10)
  t.equal(flush(), flush())
  await flush()
  t.equal(state.written.length, 10)
})
