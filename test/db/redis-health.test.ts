import t from 'tap'
import { createRedisHealth, type RedisState } from '../../app/db/redis-health.ts'

const create = (initial: Exclude<RedisState, 'closed'> = 'up') => {
  const log: string[] = []
  const messages = { lost: 'lost', loginRefused: 'login refused', refused: 'refused', up: 'up' }
  const health = createRedisHealth({ initial, warn: (message) => log.push(message), messages })
  return { health, log }
}
const reset = new Error('read ECONNRESET')
const wrongPassword = new Error('WRONGPASS invalid username-password pair')
const full = new Error('OOM command not allowed')

t.test('an outage and its end are logged once', async (t) => {
  const { health, log } = create()
  health.lose(reset)
  health.lose(reset)
  t.equal(health.state, 'lost')
  health.recover()
  health.recover()
  t.equal(health.state, 'up')
  health.lose()
  t.same(log, ['lost', 'up', 'lost'])
})

t.test('a refused login is logged once more in an outage that began in another way', async (t) => {
  const { health, log } = create()
  health.lose(reset)
  health.lose(wrongPassword)
  health.lose(wrongPassword)
  health.lose(reset)
  health.lose(wrongPassword)
  health.recover()
  health.lose(wrongPassword)
  health.lose(wrongPassword)
  health.recover()
  health.lose(reset)
  health.lose(wrongPassword)
  t.same(log, ['lost', 'login refused', 'up', 'lost', 'up', 'lost', 'login refused'])
})

t.test('refusals are logged once a minute for each code, and their end only after a message', async (t) => {
  const { health, log } = create()
  health.markRefused(full)
  health.markRefused(full)
  health.markRefused(new Error('NOPERM no permissions'))
  t.equal(health.state, 'refused')
  health.recover()
  health.markRefused(full)
  health.recover()
  t.same(log, ['refused', 'refused', 'up'])
})

t.test('a refusal of one command leaves the state', async (t) => {
  const { health, log } = create()
  t.equal(health.reportRefusal(full), true)
  t.equal(health.reportRefusal(full), false)
  t.equal(health.state, 'up')
  health.recover()
  t.same(log, ['refused'])
})

t.test('a connection that was never up is logged when it is lost, and not when it succeeds', async (t) => {
  const { health, log } = create('lost')
  health.recover()
  t.same([health.state, ...log], ['up'])
})

t.test('a closed connection stays closed and logs nothing', async (t) => {
  const { health, log } = create()
  health.lose(reset)
  health.close()
  health.recover()
  health.lose(reset)
  health.markRefused(full)
  health.reportRefusal(full)
  t.equal(health.state, 'closed')
  t.same(log, ['lost'])
})
