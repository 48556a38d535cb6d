import t from 'tap'
import { addCustomer, createTestDatabase, secretKey, until } from '../../helper.ts'
import { logInTo, startService, untilReady } from '../../service.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const apiKey = await addCustomer(database, 'acme')

t.test('an answered long poll does not delay the exit, and no request is cut', async (t) => {
  const METRICS_TOKEN = 'who-measures-has-this'
  const service = await startService({ DATABASE_URL: database.url, SECRET_KEY: secretKey, METRICS_TOKEN })
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  const headers = await logInTo(service, apiKey)
  const from = (await fetch(`${service.base}/v1/changes`, { headers })).json() as Promise<{
    page: { next_token: string }
  }>
  const { next_token: token } = (await from).page
  const polled = fetch(`${service.base}/v1/changes?after=${token}&wait=25`, { headers })
  await until('the poll waits', async () => {
    const authorization = `Bearer ${METRICS_TOKEN}`
    const metrics = await fetch(`${service.base}/metrics`, { headers: { authorization } })
    return /^certdata_feed_waiters(\{.*\})? 1$/m.test(await metrics.text())
  })
  const stopped = service.stop()
  t.match(await polled, { status: 200 })
  t.equal(await stopped, 0)
  t.notMatch(service.output(), /requests did not end in time/)
})

t.test('workers answer their long polls if the primary is killed', async (t) => {
  const METRICS_TOKEN = 'who-measures-has-this'
  const service = await startService({
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    METRICS_TOKEN,
    WEB_CONCURRENCY: '2',
    DRAIN_SECONDS: '3',
  })
  t.teardown(() => service.stop('SIGKILL'))
  await until('both listen', () => service.output().split('a worker listens').length === 3, 60_000)
  const headers = await logInTo(service, apiKey)
  const from = (await fetch(`${service.base}/v1/changes`, { headers })).json() as Promise<{
    page: { next_token: string }
  }>
  const { next_token: token } = (await from).page
  const polls = [1, 2, 3].map(() => fetch(`${service.base}/v1/changes?after=${token}&wait=25`, { headers }))
  await until('three polls wait', async () => {
    const authorization = `Bearer ${METRICS_TOKEN}`
    const metrics = await fetch(`${service.base}/metrics`, { headers: { authorization } })
    return /^certdata_feed_waiters(\{.*\})? 3$/m.test(await metrics.text())
  })
  service.child.kill('SIGKILL')
  for (const poll of polls) t.match(await poll, { status: 200 })
})
