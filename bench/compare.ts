import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { stopWithProcess } from './lib/endings.ts'
import { type Rows, tell } from './lib/findings.ts'
import { measure, type Sample, type Target } from './lib/load.ts'
import { end, type Server, type Started } from './lib/processes.ts'
import { say } from './lib/progress.ts'
import { median } from './lib/statistics.ts'
import { createUniquePages } from './lib/unique.ts'
import { createWorld, type World } from './lib/world.ts'

/**
 * The service beside what somebody would take instead who wants an API over tables: the same rows in the same
 * PostgreSQL, one after another within each round. They are installed in bench/compare/ when this runs, not before.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
  },
})
const [rounds, seconds, connections] = [options.rounds, options.seconds, options.connections].map(Number) as [
  number,
  number,
  number,
]
const warmSeconds = 2
const readyWithinMs = 60_000
/** As many as the service has. */
const pool = '10'
const folder = join(import.meta.dirname, 'compare')

type Manifest = { version: string; devDependencies: Record<string, string> }
const readManifest = (...path: string[]): Manifest =>
  JSON.parse(readFileSync(join(folder, ...path, 'package.json'), 'utf8'))

const isInstalled = () =>
  Object.entries(readManifest().devDependencies).every(([name, version]) => {
    try {
      return readManifest('node_modules', name).version === version
    } catch {
      return false
    }
  })

const install = () => {
  if (isInstalled()) return
  say('Installing what bench/compare/package.json names, some 450 MB')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  })
}

/** The same rows and indexes without policies, triggers and the service's other tables. */
const copyTables = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create schema plain;
    create table plain.certificates (like public.certificates including all);
    insert into plain.certificates select * from public.certificates;
    create table plain.products (like public.products including all);
    insert into plain.products select * from public.products`)
  await client.query('vacuum analyze plain.certificates, plain.products')
  await client.end()
}

const startOther = async (file: string, url: string): Promise<Server> => {
  const child = spawn(process.execPath, [join(folder, file)], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: url,
      POOL: pool,
      NODE_ENV: 'production',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const stop = () => end(child)
  const signal = AbortSignal.timeout(readyWithinMs)
  const exited = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${file} ended with ${code}`)
  })
  try {
    const [port] = (await Promise.race([once(child, 'message', { signal }), exited])) as [number]
    exited.catch(() => {})
    return stopWithProcess({ url: `http://127.0.0.1:${port}`, label: file, pid: child.pid as number, stop })
  } catch (error) {
    await stop()
    throw error
  }
}

/** Something to measure; `ids` reads the answer's records, to be sure that all answer the same. */
type Contender = { name: string; target: Target; ids(body: string): string[] }

const fields = `rowId number title productId projectId approvalId supersedesId countryCode authority scheme
  certificateType approvalStatus validFrom validUntil validityPeriods issuedOn holder standards tags sourceUrl
  createdAt updatedAt`
const graphQl = `query ($customer: String!) {
  allCertificates(condition: {customerId: $customer}, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: 50) {
    nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`

const listOurs = ({ service, token }: World): Contender[] => {
  const headers = { authorization: `Bearer ${token}` }
  const path = '/v1/certificates?limit=50'
  const ids = (body: string) => (JSON.parse(body) as { data: { id: string }[] }).data.map(({ id }) => id)
  return [
    { name: 'this service, cached', target: { server: service, path, headers }, ids },
    {
      name: 'this service, uncached',
      target: { server: service, path, numbered: createUniquePages(), headers },
      ids,
    },
  ]
}

const listOthers = (
  postgraphile: Server | undefined,
  platformatic: Server | undefined,
  customer: string,
): Contender[] => {
  const versionOf = (name: string) => readManifest('node_modules', name).version
  const others: Contender[] = []
  if (postgraphile) {
    others.push({
      name: `PostGraphile ${versionOf('postgraphile')}, GraphQL`,
      target: {
        server: postgraphile,
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: graphQl, variables: { customer } }),
      },
      ids: (body) =>
        (
          JSON.parse(body) as { data: { allCertificates: { nodes: { rowId: string }[] } } }
        ).data.allCertificates.nodes.map(({ rowId }) => rowId),
    })
  }
  if (platformatic) {
    const query = `where.customerId.eq=${customer}&limit=50&orderby.createdAt=desc&orderby.id=desc`
    others.push({
      name: `Platformatic DB ${versionOf('@platformatic/db')}, REST`,
      target: { server: platformatic, path: `/plainCertificates?${query}` },
      ids: (body) => (JSON.parse(body) as { id: string }[]).map(({ id }) => id),
    })
  }
  return others
}

const read = async ({
  target: { server, path, method = 'GET', headers = {}, body },
}: Contender): Promise<string> => {
  const answer = await fetch(server.url + path, { method, headers, ...(body ? { body } : {}) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return text
}

/** A contender with other answers is not measured. */
const listEqual = async (contenders: readonly Contender[]): Promise<Contender[]> => {
  const expected = JSON.stringify(contenders[0]?.ids(await read(contenders[0])))
  const equal: Contender[] = []
  for (const each of contenders) {
    const answer = await read(each).catch(String)
    if (!answer.startsWith('Error') && JSON.stringify(each.ids(answer)) === expected) equal.push(each)
    else say(`${each.name} answers other records and is left out: ${answer.slice(0, 300)}`)
  }
  return equal
}

const measureAll = async (contenders: readonly Contender[]): Promise<Map<string, Sample[]>> => {
  const samples = new Map(contenders.map(({ name }): [string, Sample[]] => [name, []]))
  for (const { target } of contenders) await measure(target, { seconds: warmSeconds, connections })
  for (let round = 1; round <= rounds; round++) {
    for (const { name, target } of contenders) {
      say(`round ${round} of ${rounds}: ${name}`)
      samples.get(name)?.push(await measure(target, { seconds, connections }))
    }
  }
  return samples
}

const tabulate = (samples: ReadonlyMap<string, Sample[]>): Rows => {
  const of = (name: string, key: keyof Sample) =>
    median((samples.get(name) ?? []).map((sample) => sample[key] ?? Number.NaN))
  /** Of rates measured in the same round. */
  const timesAs = (ours: string, name: string) =>
    ours === name || name === cached ? '' : `${ratio(ours, name).toFixed(2)}×`
  const ratio = (ours: string, name: string) =>
    median(
      (samples.get(ours) ?? []).map(
        ({ rate }, round) => rate / (samples.get(name)?.[round]?.rate ?? Number.NaN),
      ),
    )
  const [cached = '', uncached = ''] = samples.keys()
  return Object.fromEntries(
    [...samples].map(([name, runs]) => [
      name,
      {
        'answers/s': Math.round(of(name, 'rate')),
        'ours cached is': timesAs(cached, name),
        'ours uncached is': timesAs(uncached, name),
        'CPU ms an answer': of(name, 'cpuMs').toFixed(3),
        'average ms': of(name, 'averageMs').toFixed(1),
        'p99 ms': of(name, 'p99Ms').toFixed(1),
        failed: runs.reduce((sum, { failed }) => sum + failed, 0),
      },
    ]),
  )
}

const tryToStart = async (file: string, url: string): Promise<Server | undefined> => {
  try {
    return await startOther(file, url)
  } catch (error) {
    say(`${file} did not start and is left out: ${error}`)
    return undefined
  }
}

const main = async (): Promise<void> => {
  install()
  const world = await createWorld({ certificates: 10_000, crowdSize: 0, say })
  const started: Started[] = []
  try {
    await copyTables(world.database.url)
    const others: (Server | undefined)[] = []
    for (const file of ['postgraphile.js', 'platformatic.js']) {
      const server = await tryToStart(file, world.database.url)
      if (server) started.push(server)
      others.push(server)
    }
    const [postgraphile, platformatic] = others
    const contenders = [
      ...listOurs(world),
      ...listOthers(postgraphile, platformatic, world.customer.customerId),
    ]
    const rows = tabulate(await measureAll(await listEqual(contenders)))
    tell({
      name: 'compare',
      title: 'Beside what one would take instead',
      text: [
        `The first 50 of 10,000 certificates of one customer, newest first, in the same PostgreSQL (${world.database.label}); ${connections} connections, ${rounds} rounds of ${seconds} s, one after another; ${pool} database connections each.`,
        'The others answer from the database each time, as they come: neither keeps answers. So what stands beside them is our uncached answer; the cached one is what the cache is for.',
        'They do less: here they have no authentication, no tenants (the caller names the customer, and may name another), no row level security, limits, ETag, change feed, audit, access log, or promise of freshness, and no computed fields (validity, expiring, days_remaining). PostGraphile lets callers choose fields and relations; it was asked for the same fields. Platformatic sends sort columns too.',
      ],
      tables: [{ about: 'Page of 50', rows }],
      data: { options, rows },
    })
  } finally {
    for (const each of started.reverse()) await each.stop()
    await world.close()
  }
}

await main()
