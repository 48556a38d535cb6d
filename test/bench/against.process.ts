import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkOut, pairScenarios } from '../../bench/against.ts'
import type { Server } from '../../bench/lib/processes.ts'
import type { Scenario } from '../../bench/scenarios.ts'

const root = join(import.meta.dirname, '../..')
const runGit = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()

t.test('a commit is checked out with its dependencies and its own seed, and removed again', async (t) => {
  const release = await checkOut('HEAD')
  t.equal(release.name, runGit('rev-parse', '--short', 'HEAD'))
  t.equal(
    execFileSync('git', ['rev-parse', 'HEAD'], { cwd: release.checkout, encoding: 'utf8' }).trim(),
    runGit('rev-parse', 'HEAD'),
  )
  t.ok(existsSync(join(release.checkout, 'node_modules/fastify/package.json')))
  for (const name of ['prepareSchema', 'seedCustomers', 'logIn'] as const)
    t.type(release.seed[name], 'function', name)
  await release.stop()
  t.notOk(existsSync(release.checkout))
  t.notMatch(runGit('worktree', 'list'), release.checkout)
  t.ok(existsSync(join(root, 'node_modules/fastify/package.json')), 'shared dependencies stay')
})

t.test('a commit that does not exist is named', async (t) => {
  for (const commit of ['no-such-commit', '--help'])
    await t.rejects(checkOut(commit), { message: `There is no commit ${commit} here: fetch it first` })
})

t.test('a scenario of both releases is measured against the other one, which keeps running', async (t) => {
  let stops = 0
  const toScenario = (name: string, pid: number, stores: readonly number[]): Scenario => {
    const server: Server = {
      url: `http://127.0.0.1:${pid}`,
      label: 'the service',
      pid,
      stop: async () => {
        stops += 1
      },
    }
    return {
      name,
      against: 'bare node:http',
      subject: { server, path: '/' } as never,
      stores,
      startReference: () => Promise.reject(new Error('none')),
    }
  }
  const ours = [toScenario('item', 1, [11]), toScenario('new here', 1, [])]
  const theirs = [toScenario('item', 2, [22]), toScenario('gone', 2, [])]
  const [pair, ...others] = pairScenarios(ours, theirs, '06c321ce')
  t.same(others, [])
  t.match(pair, {
    name: 'item',
    against: 'commit 06c321ce',
    stores: [11],
    referenceStores: [22],
    mayDiffer: true,
  })
  t.equal(pair?.subject.server.pid, 1)
  const reference = await pair?.startReference()
  t.equal(reference?.server.pid, 2)
  await reference?.server.stop()
  t.equal(stops, 0)
})
