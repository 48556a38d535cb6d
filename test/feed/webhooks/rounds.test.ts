import t from 'tap'
import { createRounds } from '../../../app/feed/webhooks/rounds.ts'

const startRounds = () => {
  const begun: { names: string[]; end: () => void; fail: (error: Error) => void }[] = []
  const failures: string[] = []
  const rounds = createRounds(
    (names) =>
      new Promise((end, fail) => {
        begun.push({ names: [...names], end, fail })
      }),
    ({ message }) => failures.push(message),
  )
  const settle = () => new Promise(setImmediate)
  return { rounds, begun, failures, settle }
}

t.test('names added during a round form one next round, each name once', async (t) => {
  const { rounds, begun, settle } = startRounds()
  rounds.want(['a'])
  rounds.want(['b', 'a'])
  await settle()
  for (const name of ['a', 'c', 'a']) rounds.want([name])
  await settle()
  t.same(
    begun.map(({ names }) => names),
    [['a', 'b']],
  )
  begun[0]?.end()
  await settle()
  t.same(
    begun.map(({ names }) => names),
    [
      ['a', 'b'],
      ['a', 'c'],
    ],
  )
})

t.test('without names there is no round', async (t) => {
  const { rounds, begun, settle } = startRounds()
  rounds.want([])
  await settle()
  t.same(begun, [])
  await rounds.end()
})

t.test('a round that fails is told, and the next one begins', async (t) => {
  const { rounds, begun, failures, settle } = startRounds()
  rounds.want(['a'])
  await settle()
  rounds.want(['b'])
  begun[0]?.fail(new Error('lost'))
  await settle()
  t.same(failures, ['lost'])
  t.same(begun[1]?.names, ['b'])
})

t.test('stopping waits for the round in progress', async (t) => {
  const { rounds, begun, settle } = startRounds()
  rounds.want(['a'])
  await settle()
  let isOver = false
  const end = rounds.end().then(() => {
    isOver = true
  })
  await settle()
  t.notOk(isOver)
  begun[0]?.end()
  await end
})
