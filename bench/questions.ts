import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import pg from 'pg'
import type { NamedStatement } from '../app/db/connect.ts'
import { compile } from '../app/db/statement-cache.ts'
import { parsePairs } from '../app/http/pairs.ts'
import { parseQuery } from '../app/records/query/parse.ts'
import { planQuery } from '../app/records/query/plan.ts'
import { resources } from '../app/records/resources/index.ts'
import { pageStatement } from '../app/records/sql/statement.ts'
import { type Rows, tell } from './lib/findings.ts'
import { readOptions } from './lib/options.ts'
import { startPostgres, undurable } from './lib/postgres.ts'
import { say } from './lib/progress.ts'
import { type Question, questions } from './questions/list.ts'
import { measure } from './questions/measure.ts'
import { type HolderName, holders, seedQuestions } from './questions/seed.ts'

/**
 * Measures the database time of the worst questions of the query grammar, for customers with 100,000 and with a
 * million certificates next to 50 others. `--data`: folder that keeps the database for the next run. `--only`: regular
 * expression for the names of questions.
 */
const { values: options } = readOptions({
  options: { data: { type: 'string' }, only: { type: 'string', default: '' } },
})

/** For a customer with 100,000 certificates. */
const mostMs = 500

/** Above the service's, so that slow questions get a figure. */
const settings = `set role certdata_reader; set timezone = 'UTC'; set statement_timeout = '60s';
  set max_parallel_workers_per_gather = 0; set jit = off`

const postgresSettings = { ...undurable, shared_buffers: '2GB' }

const toStatement = ({ resource = 'certificates', query }: Question, customerId: string): NamedStatement => {
  const outcome = parseQuery(resources[resource], 'page', parsePairs(query))
  if ('faults' in outcome) throw new Error(`${query}: ${JSON.stringify(outcome.faults)}`)
  const today = new Date().toISOString().slice(0, 10)
  return compile(pageStatement(planQuery(outcome.query, { customerId, today })))
}

const askAll = async (client: pg.Client, holder: HolderName) => {
  const rows: Rows = {}
  const missed: string[] = []
  for (const question of questions.filter(({ about }) => new RegExp(options.only).test(about))) {
    const { about } = question
    const cost = await measure(client, toStatement(question, holder))
    const most = holder === 'hundred' ? mostMs : question.mostMs
    rows[about] = {
      ms: cost.ms.toFixed(1),
      'of which planning, at most': cost.planningMs.toFixed(1),
      'rows read': cost.rows,
      'look-ups': cost.lookUps,
      indexes: cost.indexes.join(' '),
    }
    if (most !== undefined && cost.ms > most)
      missed.push(
        `${about}, ${holders[holder]} certificates: ${cost.ms.toFixed(0)} ms, at most ${most} expected`,
      )
    say(`${holder}: ${about}: ${cost.ms.toFixed(1)} ms`)
  }
  return { about: `A customer with ${holders[holder].toLocaleString('en')} certificates`, rows, missed }
}

const main = async (): Promise<void> => {
  const folder = options.data && resolve(options.data)
  if (folder) mkdirSync(folder, { recursive: true })
  const server = await startPostgres({ settings: postgresSettings, ...(folder ? { folder } : {}) })
  try {
    const client = new pg.Client({ connectionString: await seedQuestions(server.url) })
    await client.connect()
    await client.query(settings)
    const tables = [await askAll(client, 'hundred'), await askAll(client, 'million')]
    await client.end()
    tell({
      name: 'questions',
      title: 'Worst questions',
      text: [
        `${server.label}. Processor time of the backend, the least of three executions, of the statement for a page of 50 by the serving role.`,
        `Goals: at most ${mostMs} ms for 100,000 certificates, and at most 100 ms for a page of a search in a million.`,
      ],
      tables,
      missed: tables.flatMap(({ missed }) => missed),
      data: { options, tables },
    })
  } finally {
    await server.stop()
  }
}

await main()
