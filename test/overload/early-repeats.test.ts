import t from 'tap'
import { createEarlyRepeats } from '../../app/overload/early-repeats.ts'
import { createSimulation } from '../limits/simulation.ts'

const open = () => {
  const simulation = createSimulation()
  const sent: string[] = []
  const hold = createEarlyRepeats(simulation)
  const refuse = (connection: object, arrivedMs: number) =>
    hold(connection, arrivedMs, () => sent.push(`${simulation.now()}`))
  return { ...simulation, sent, refuse }
}

t.test('a request that follows its refusal sooner than Retry-After is refused a second later', async (t) => {
  const { runTo, sent, refuse } = open()
  const connection = {}
  refuse(connection, 0)
  t.same(sent, ['0'], 'the first refusal does not wait')
  await runTo(1_000)
  refuse(connection, 999)
  await runTo(2_019)
  t.same(sent, ['0'])
  await runTo(2_020)
  t.same(sent, ['0', '2020'])
  await runTo(2_900)
  refuse(connection, 2_000)
  await runTo(5_000)
  t.same(sent, ['0', '2020', '3920'], 'the second counts from the moment when it was sent')
})

t.test('at most 400 held refusals a second are sent', async (t) => {
  const { runTo, sent, refuse } = open()
  const connection = {}
  for (let n = 0; n <= 2_000; n += 1) refuse(connection, 0)
  await runTo(1_010)
  t.equal(sent.length, 1)
  await runTo(2_010)
  t.ok(sent.length >= 390 && sent.length <= 401, `${sent.length}`)
})

t.test(
  'a client that waits for Retry-After, and another connection, are refused without delay',
  async (t) => {
    const { runTo, sent, refuse } = open()
    const connection = {}
    refuse(connection, 0)
    refuse({}, 0)
    await runTo(1_500)
    refuse(connection, 1_000)
    t.same(sent, ['0', '0', '1500'])
  },
)

t.test('at most 10,000 refusals are held', async (t) => {
  const { runTo, sent, refuse } = open()
  const connection = {}
  for (let n = 0; n <= 10_000; n += 1) refuse(connection, 0)
  t.equal(sent.length, 1)
  refuse(connection, 0)
  t.equal(sent.length, 2, 'the next one is sent immediately')
  await runTo(1_000)
  refuse(connection, 0)
  t.equal(sent.length, 2, 'there is room again')
  await runTo(13_000)
  t.equal(sent.length, 10_003, 'none waits for longer than eleven seconds')
})
