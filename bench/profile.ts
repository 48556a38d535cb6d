import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rows } from './lib/findings.ts'
import { toEntities, toPage, toTable } from './lib/html.ts'
import { measure } from './lib/load.ts'
import { readOptions } from './lib/options.ts'
import { makeFolder } from './lib/processes.ts'
import { say } from './lib/progress.ts'
import { createWorld, type World } from './lib/world.ts'
import { drawFlame } from './profile/flame.ts'
import { type CpuProfile, type Frame, getRoom, readProfile, selfTimes } from './profile/tree.ts'
import { describeMachine } from './report.ts'
import { createScenarios, type Scenario } from './scenarios.ts'

/**
 * Profiles where the time of a scenario's answers goes. The service runs under `--cpu-prof` while each
 * scenario is requested for some seconds. Writes a flame graph to bench/profiles/ and lists the most
 * expensive functions and rooms. Scenarios are named as in `npm run bench`, by a regular expression or part
 * of the name.
 */
const { values: options, positionals } = readOptions({
  options: { seconds: { type: 'string', default: '5' } },
  allowPositionals: true,
})
const seconds = Number(options.seconds)
const connections = 32
const warmSeconds = 2
const intervalUs = 500
const mostLines = 25
/** The committed profiles: one for each kind of answer. */
const standard = ['^item, HTTP/1.1$', '^page of 50, HTTP/2$', '^hit in Redis', '^uncached page of 50']

const root = join(import.meta.dirname, '..')
const profiles = join(import.meta.dirname, 'profiles')

/** Microseconds of the clock that V8's profiles use. */
const nowUs = () => Number(process.hrtime.bigint() / 1000n)

type Run = { scenario: Scenario; from: number; to: number; rate: number }

const runAll = async (scenarios: readonly Scenario[]): Promise<Run[]> => {
  const runs: Run[] = []
  for (const scenario of scenarios) {
    say(`${scenario.name}, ${seconds} s`)
    await measure(scenario.subject, { seconds: warmSeconds, connections })
    const from = nowUs()
    const { rate } = await measure(scenario.subject, { seconds, connections })
    runs.push({ scenario, from, to: nowUs(), rate })
  }
  return runs
}

/** The fourth part of the file's name is the pid. */
const getRead = (folder: string, pid: number): CpuProfile => {
  const file = readdirSync(folder).find((name) => name.split('.')[3] === String(pid))
  if (!file) throw new Error(`The service left no profile among ${readdirSync(folder).join(', ') || 'none'}`)
  return JSON.parse(readFileSync(join(folder, file), 'utf8'))
}

const byFunction = ({ name, place }: Frame) => `${name} ${place}`
const byRoom = ({ name, place }: Frame) => getRoom(place.replace(/:\d+$/, ''), name)

const tabulate = (tree: Frame, rate: number, nameOf: (frame: Frame) => string): Rows =>
  Object.fromEntries(
    selfTimes(tree, nameOf)
      .slice(0, mostLines)
      .map(([name, time]) => {
        const share = time / tree.total
        return [
          name,
          { 'self %': (100 * share).toFixed(1), 'µs an answer': (time / seconds / rate).toFixed(1) },
        ]
      }),
  )

const write = ({ scenario, from, to, rate }: Run, profile: CpuProfile): void => {
  const { tree, idle } = readProfile(profile, root, from, to)
  const { at, commit, machine, versions } = describeMachine()
  const rooms = tabulate(tree, rate, byRoom)
  const functions = tabulate(tree, rate, byFunction)
  const perAnswer = (tree.total / seconds / rate).toFixed(1)
  const where = `${at}, commit ${commit}, Node ${versions.node}, ${machine.cores} × ${machine.cpu}: ${Math.round(rate)} answers/s over ${connections} connections under the profiler, ${perAnswer} µs each, idle ${((100 * idle) / (idle + tree.total)).toFixed(0)} %`
  console.log(`\n${scenario.name}\n${where}`)
  console.table(rooms)
  console.table(functions)
  const { html, css } = drawFlame(tree)
  const command = `npm run bench:profile -- '${scenario.name}'`
  const body = `<p>${toEntities(where)}. <code>${toEntities(command)}</code></p>${html}
<h2>By room, without what it calls</h2>${toTable('room', rooms)}<h2>By function, without what it calls</h2>${toTable('function', functions)}`
  const name = scenario.name.toLowerCase().replace(/[^a-z\d]+/g, '-')
  writeFileSync(join(profiles, `${name}.html`), toPage(`Profile: ${scenario.name}`, body, css))
  console.log(`bench/profiles/${name}.html`)
}

const main = async (): Promise<void> => {
  const folder = makeFolder()
  const execArgv = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${intervalUs}`]
  let world: World | undefined
  let runs: Run[]
  try {
    world = await createWorld({ certificates: 10_000, crowdSize: 0, say, isWhole: true, execArgv })
    const scenarios = await createScenarios(world)
    const patterns = (positionals.length > 0 ? positionals : standard).map((text) => new RegExp(text))
    const wanted = scenarios.filter(({ name }) => patterns.some((each) => each.test(name)))
    if (wanted.length === 0) {
      throw new Error(`No scenario has this name. Scenarios: ${scenarios.map(({ name }) => name).join(', ')}`)
    }
    runs = await runAll(wanted)
  } finally {
    await world?.close()
  }
  mkdirSync(profiles, { recursive: true })
  for (const run of runs) write(run, getRead(folder, run.scenario.subject.server.pid))
  rmSync(folder, { recursive: true, force: true })
}

await main()
