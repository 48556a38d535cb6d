import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { runTest } from '../../checks/mutants/test-run.ts'
import { isAlive } from '../servers.ts'

const root = join(import.meta.dirname, '../..')
const patience = { cpuSeconds: 60, ms: 120_000 }
const run = (folder: string, limits: { cpuSeconds: number; ms: number }) =>
  runTest(root, join(folder, 'a.test.mjs'), {
    env: { NODE_COMPILE_CACHE: join(folder, 'compiled'), FOLDER: folder },
    prefix: [],
    limits,
  })

t.test('a test file passes or fails', async (t) => {
  const passing = t.testdir({ 'a.test.mjs': '' })
  t.match(await run(passing, patience), { end: 'passed' })
  const failing = t.testdir({ 'a.test.mjs': 'throw new Error()' })
  t.match(await run(failing, patience), { end: 'failed' })
})

t.test('an endless test file ends by its processor time, not by the clock', async (t) => {
  const folder = t.testdir({ 'a.test.mjs': 'for (;;) {}' })
  t.match(await run(folder, { ...patience, cpuSeconds: 1 }), { end: 'endless' })
})

t.test('a hung test file is killed with its descendants in other sessions', async (t) => {
  const folder = t.testdir({
    'a.test.mjs': `
      import { spawn } from 'node:child_process'
      import { writeFileSync } from 'node:fs'
      const { pid } = spawn('sleep', ['600'], { detached: true })
      writeFileSync(process.env.FOLDER + '/pid', String(pid))
    `,
  })
  t.match(await run(folder, { ...patience, ms: 10_000 }), { end: 'hung' })
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
  while (isAlive(pid)) await delay(20)
})
