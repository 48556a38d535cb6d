import { Agent, request } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { addCustomer, createTestDatabase, listenTestApp, logIn } from '../helper.ts'

// In a separate process: other tests leave more memory behind than this one measures.

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
t.teardown(async () => {
  agent.destroy()
  await app.close()
  await database.close()
})

const ask = (token: string, spaces: number) =>
  new Promise<number>((resolve, reject) => {
    const headers = { authorization: `Bearer${' '.repeat(spaces)}${token}` }
    request(`${origin}/v1/products`, { agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
      .on('error', reject)
      .end()
  })

t.test('of a token that is spelled in many ways one is remembered', async (t) => {
  const { token } = await logIn(app, await addCustomer(database, 'acme'))
  const longest = 14_000
  let spaces = longest
  const askInOthers = async (ways: number) => {
    for (const last = spaces - ways; spaces > last; spaces -= 1) t.equal(await ask(token, spaces), 200)
    collect()
    return process.memoryUsage().heapUsed
  }
  for (let n = 0; n < 3; n += 1) await ask(token, 1)
  const ways = 400
  const before = await askInOthers(50)
  const keptBytes = (await askInOthers(ways)) - before
  t.ok(keptBytes / ways < longest / 2, `${Math.round(keptBytes / ways)} bytes of each are kept`)
  t.ok(app.edgeAnswers > ways, 'which the edge answered')
})
