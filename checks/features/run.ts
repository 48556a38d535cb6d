import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Feature } from '../../app/feature.ts'
import { features } from '../../app/features.ts'
import { freePort, makeDataFolder } from '../../test/servers.ts'
import { createCopy, runInCopy } from '../copy.ts'
import { clientTests } from './central.ts'
import { isReached, listDifference, type Trace, traceTests } from './reach.ts'
import { removeFeature } from './remove.ts'
import { findFailedTests, listTests } from './tests.ts'

/**
 * Removes each feature from a copy. The types must still fit, the tests of the kernel pass, `npm start` answers a request
 * for records, and `certdata verify` finds every promise kept. `npm run check:features -- access-requests` checks one
 * feature, with those that need it, and `-- kernel` a copy without any. `--tests` and files: only these tests.
 */

const root = join(import.meta.dirname, '../..')
const words = process.argv.slice(2)
const at = words.includes('--tests') ? words.indexOf('--tests') : words.length
const [names, chosenTests] = [words.slice(0, at), words.slice(at + 1)]
const patienceMs = 60_000
/** The fixture of this version has the tables of the features, until it is released. */
const unreleased = '0.1.0'
const demoQuota = { LIMIT_DEMO_BURST: '10000', LIMIT_DEMO_MINUTE: '100000' }
const typedFolders = ['app', 'plugins', 'routes', 'schemas', 'test']

/** Other guides still link to the feature's guide, and decisions lose their link from its code. Both are edited by hand. */
const ofDocuments = 'test/documents.test.ts'
const isOfKernel = (test: string): boolean => test !== ofDocuments && !test.startsWith('test/features/')

/** Lists the kernel's tests that the removal of the features would edit. */
const listEdited = (missing: readonly Feature[]): string[] => {
  const isUsed = (name: string) => missing.some((feature) => feature.name === name)
  const ofClients = Object.entries(clientTests).filter(([, used]) => used.some(isUsed))
  return [ofDocuments, ...ofClients.map(([test]) => test)]
}

const checkTypes = (folder: string): Promise<boolean> => {
  const config = { extends: './tsconfig.json', include: typedFolders }
  writeFileSync(join(folder, 'tsconfig.kernel.json'), JSON.stringify(config))
  return runInCopy(folder, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.kernel.json'])
}

const isAnswered = async (origin: string): Promise<boolean> => {
  const answer = await fetch(`${origin}/v1/products?limit=1`, {
    headers: { authorization: 'Bearer cda_demo_public' },
  }).catch(() => undefined)
  if (answer?.status !== 200) return false
  const { data } = (await answer.json()) as { data: unknown[] }
  return data.length === 1
}

/** With a quota that `verify` needs not wait for. It runs unless it is the missing feature. */
const checkStart = async (folder: string): Promise<boolean> => {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const log = openSync(join(folder, 'start.log'), 'w')
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('npm', ['start', '--silent'], {
    cwd: folder,
    detached: true,
    env: { PATH, HOME, PORT: String(port), DATA_DIR: join(folder, '.data'), ...demoQuota },
    stdio: ['ignore', log, log],
  })
  const ended = once(child, 'close')
  try {
    const endsAt = performance.now() + patienceMs
    while (!(await isAnswered(origin))) {
      if (performance.now() > endsAt || child.exitCode !== null) return false
      await delay(50)
    }
    const hasVerify = existsSync(join(folder, 'app/features/verify'))
    // Awaited here, because the service ends afterwards.
    return !hasVerify || (await runInCopy(folder, ['app/certdata.js', 'verify', origin, '--demo']))
  } finally {
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGTERM')
    await ended
  }
}

/** Leaves out tests whose trace reaches no changed file. */
const checkTests = async (folder: string, traces: ReadonlyMap<string, Trace>): Promise<boolean> => {
  const all = chosenTests.length > 0 ? chosenTests : listTests(folder)
  const difference = listDifference(folder)
  const reached = all.filter((file) => {
    const trace = traces.get(file)
    return trace === undefined || isReached(trace, folder, difference)
  })
  process.stdout.write(`  ${reached.length} of ${all.length} test files may depend on it\n`)
  const failed = await findFailedTests(folder, reached)
  for (const file of failed) process.stdout.write(`  failed: ${file}\n`)
  return failed.length === 0
}

/** All copies have the same path, so they share compiled code. */
const place = makeDataFolder('features')
process.once('exit', () => rmSync(place, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Removes the features from a copy, and takes each step there. */
const checkWithout = async (
  missing: readonly Feature[],
  about: string,
  traces: ReadonlyMap<string, Trace>,
): Promise<void> => {
  const folder = join(place, 'copy')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  createCopy(folder)
  for (const path of listEdited(missing)) rmSync(join(folder, path))
  // The last one first, because it may need others.
  for (const feature of missing.toReversed()) removeFeature(folder, feature)
  const steps: [step: string, check: () => Promise<boolean>][] = [
    ['types', () => checkTypes(folder)],
    // A start compares the database with this file.
    ['schema.sql', () => runInCopy(folder, ['test/db/schema.test.ts'], { WRITE_SCHEMA: '1' })],
    ['the fixture', () => runInCopy(folder, ['test/db/upgrade.test.ts'], { WRITE_FIXTURE: unreleased })],
    ['npm start, and verify', () => checkStart(folder)],
    ['tests of the kernel', () => checkTests(folder, traces)],
  ]
  for (const [step, check] of steps) {
    const startedAt = performance.now()
    const isRight = await check()
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    process.stdout.write(`without ${about}: ${step} ${isRight ? 'passes' : 'FAILS'} (${seconds} s)\n`)
    if (!isRight) process.exitCode = 1
  }
}

/** Returns a feature and those that need it, in their order. */
const listMissing = ({ name }: Feature): readonly Feature[] => {
  const missing = new Set([name])
  for (const { name: other, needs = [] } of features)
    if (needs.some((need) => missing.has(need))) missing.add(other)
  return features.filter((each) => missing.has(each.name))
}

const wanted = names.length > 0 ? features.filter(({ name }) => names.includes(name)) : features
const isKernelWanted = names.length === 0 || names.includes('kernel')
if (wanted.length === 0 && !isKernelWanted) throw new Error(`no feature has the name ${names.join(' or ')}`)
if (isKernelWanted) await checkWithout(features, 'features', new Map())
// The copy without any feature runs all tests.
const isTraced = wanted.length > 0 && chosenTests.length === 0
const traces = isTraced ? await traceTests(listTests(root).filter(isOfKernel)) : new Map()
for (const feature of wanted) {
  const missing = listMissing(feature)
  await checkWithout(missing, missing.map(({ name }) => name).join(' and '), traces)
}
process.exit()
