import { Session } from 'node:inspector'
import { addCustomer, asCustomer, createTestDatabase, listenTestApp } from '../../test/helper.ts'

// Prints how many files of the service a request passes: files of which it calls a function. `--files` names them.

const ofService = /\/((?:app|plugins|routes|schemas)\/[^?]+)$/
/** Work of the background, as the poll of the change log, is not in each repeat. */
const repeats = 12
const warmUps = 5

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** Lists the files of the service with a function that was called since the last call. */
const takePassed = (): Set<string> => {
  const passed = new Set<string>()
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error
    for (const { url, functions } of coverage.result) {
      const [, path] = ofService.exec(url) ?? []
      const isCalled = functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0)
      if (path !== undefined && isCalled) passed.add(path)
    }
  })
  return passed
}

const database = await createTestDatabase()
const { app, origin } = await listenTestApp(database)
const { token } = await asCustomer(database, app, 'acme')
const apiKey = await addCustomer(database, 'acme')

const send = async (path: string, init: RequestInit): Promise<string> => {
  const answer = await fetch(origin + path, init)
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
  return text
}
const read = (path: string) => send(path, { headers: { authorization: `Bearer ${token}` } })
const { page } = JSON.parse(await read('/v1/changes')) as { page: { next_token: string } }

/** Each with a number that differs between repeats. */
const requests: Record<string, (round: number) => Promise<unknown>> = {
  'cached GET': () => read('/v1/certificates?validity=valid'),
  'uncached GET': (round) => read(`/v1/certificates?validity=valid&limit=${round + 1}`),
  login: () =>
    send('/v1/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: apiKey }),
    }),
  'empty poll': () => read(`/v1/changes?after=${page.next_token}`),
}

for (const [name, request] of Object.entries(requests)) {
  for (let round = 0; round < warmUps; round++) await request(repeats + round)
  let always: Set<string> | undefined
  for (let round = 0; round < repeats; round++) {
    takePassed()
    await request(round)
    const passed = takePassed()
    always = always?.intersection(passed) ?? passed
  }
  const files = [...(always ?? [])].sort()
  process.stdout.write(`${`files passed, ${name}`.padEnd(30)}${files.length}\n`)
  if (process.argv.includes('--files')) for (const path of files) process.stdout.write(`  ${path}\n`)
}

session.disconnect()
await app.close()
await database.close()
