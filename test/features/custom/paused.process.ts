import t from 'tap'
import { createCommandLine } from '../../command-line.ts'
import { addCustomer, createTestDatabase, secretKey, until } from '../../helper.ts'
import { logInTo, startService, untilReady } from '../../service.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey }
const { cli } = createCommandLine({ ...env, DATA_DIR: t.testdir() })
const certdata = async (...words: string[]) => {
  const { code, stderr } = await cli('custom', ...words)
  if (code !== 0) throw new Error(stderr)
}

t.test('a paused process goes on with the grants of now', async (t) => {
  const service = await startService(env)
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  await certdata('apply', 'examples/custom/expiring-by-country.yaml')
  const headers = await logInTo(service, await addCustomer(database, 'acme'))
  const read = async () => {
    const answer = await fetch(`${service.base}/v1/custom/expiring-by-country`, { headers })
    await answer.arrayBuffer()
    return answer.status
  }
  for (const [act, from, to] of [
    ['grant', 404, 200],
    ['revoke', 200, 404],
  ] as const) {
    await until(`${act}: the state of before`, async () => (await read()) === from)
    service.child.kill('SIGSTOP')
    const goOn = () => service.child.kill('SIGCONT')
    t.teardown(goOn)
    const pausedAt = performance.now()
    await certdata(act, 'expiring-by-country', 'acme')
    const waiting = read()
    // A process may use the rights of its last poll for 500 ms.
    await until('its lease has ended', () => performance.now() - pausedAt > 600)
    goOn()
    t.equal(await waiting, to, `${act}: a request of the pause`)
    t.equal(await read(), to, `${act}: a request after it`)
  }
})
