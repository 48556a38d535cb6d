import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, BlockList } from 'node:net'
import { dirname, join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { variables } from '../../app/config/variables.ts'
import { until } from '../helper.ts'
import { freePort } from '../servers.ts'
import { run } from './run.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

t.test('the image runs the start script of package.json, and Node replaces its shell', async (t) => {
  const [, command = '[]'] = /^CMD (\[.+\])$/m.exec(read('Dockerfile')) ?? []
  const [program = '', ...words] = JSON.parse(command) as string[]
  const folder = t.testdir({
    'package.json': JSON.stringify({
      scripts: { start: 'MALLOC_ARENA_MAX=1 exec node --max-semi-space-size=8 app/server.js' },
    }),
    app: { 'server.js': 'console.log(process.pid, process.env.MALLOC_ARENA_MAX, ...process.execArgv)' },
  })
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const { pid, stdout } = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8' })
  t.equal(stdout.trim(), `${pid} 1 --max-semi-space-size=8`)
  const deployments = ['Dockerfile', 'compose.yaml', 'fly.toml']
  for (const path of deployments) t.notMatch(read(path), /-space-size|scavenge|MALLOC/, path)
})

t.test('the start script bounds the allocator, and keeps the code that the image compiled', async (t) => {
  const figures = `
    JSON.stringify({ arenas: process.env.MALLOC_ARENA_MAX, tag: v8.cachedDataVersionTag() })`
  const { start } = JSON.parse(read('package.json')).scripts
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const started = execFileSync('sh', ['-c', start.replace('app/server.js', '-p "$FIGURES"')], {
    env: { ...env, FIGURES: figures },
    encoding: 'utf8',
  })
  const { arenas, tag } = JSON.parse(started)
  t.equal(arenas, '1')
  const plain = execFileSync(process.execPath, ['-p', 'v8.cachedDataVersionTag()'], {
    env,
    encoding: 'utf8',
  })
  t.equal(tag, Number(plain), 'Node accepts code that was compiled without the flags')
})

t.test('the image compiles the modules that the service imports at its start', async (t) => {
  const [, module = ''] = /await import\('\/srv\/certdata\/(.+?)'\)/.exec(read('Dockerfile')) ?? []
  t.equal(read('app/server.js').includes(`./${module.replace('app/', '')}`), true)
  t.ok(module !== '' && existsSync(join(root, module)), `the compiled module exists: ${module}`)
})

t.test('the image’s health check accepts the certificate of any host', async (t) => {
  const [, check = '[]'] = /^ {2}CMD (\[.+\])$/m.exec(read('Dockerfile')) ?? []
  const [, ...probe] = JSON.parse(check) as string[]
  const folder = t.testdir()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const files = ['-out', cert, '-keyout', key, '-subj', '/CN=api.example', '-days', '2', '-nodes']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...files], { stdio: 'ignore' })
  let status = 200
  const answer = (_request: unknown, response: ServerResponse) => response.writeHead(status).end()
  const plain = createServer(answer)
  const secure = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) }, answer)
  for (const [server, env] of [[plain, {}] as const, [secure, { TLS_CERT: cert, TLS_KEY: key }] as const]) {
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    t.teardown(() => server.close())
    const { port } = server.address() as AddressInfo
    const ask = () =>
      new Promise((resolve) =>
        spawn(process.execPath, probe, { env: { ...env, PORT: String(port) }, stdio: 'ignore' }).once(
          'exit',
          resolve,
        ),
      )
    t.equal(await ask(), 0)
    status = 503
    t.equal(await ask(), 1)
    status = 200
  }
})

t.test('deployments set only variables that the service reads', async (t) => {
  const ofOthers = [
    'WEB_PASSWORD',
    'OWNER_PASSWORD',
    'POSTGRES_PASSWORD',
    'POSTGRES_DB',
    'REDIS_PASSWORD',
    'GRAFANA_PASSWORD',
  ]
  const set = [
    ...(read('compose.yaml').match(/^ {4}([A-Z][A-Z_]+)(?=:)/gm) ?? []),
    ...(read('fly.toml').match(/^ {2}([A-Z][A-Z_]+)(?= =)/gm) ?? []),
    ...(read('Dockerfile').match(/\b[A-Z][A-Z_]+(?==)/g) ?? []),
  ].map((name) => name.trim())
  t.ok(set.length > 12)
  t.same(
    set.filter((name) => !(name in variables) && !ofOthers.includes(name)),
    [],
  )
  for (const [, path = ''] of read('compose.yaml').matchAll(/- \.\/(\S+?):/g))
    t.ok(existsSync(join(root, path)), path)
  for (const [, path = ''] of read('Dockerfile').matchAll(/^COPY (\w\S*) \S+\/$/gm)) {
    t.ok(existsSync(join(root, path)), path)
    const folders = path.split('/').map((_, depth, parts) => `!${parts.slice(0, depth + 1).join('/')}`)
    t.ok(
      read('.dockerignore')
        .split('\n')
        .some((line) => folders.includes(line)),
      `${path} is not ignored`,
    )
  }
})

t.test('instances on one machine trust haproxy at an address that no other container has', async (t) => {
  const { services, networks } = parse(read('compose.yaml'), { merge: true })
  const { subnet, ip_range: others } = networks.default.ipam.config[0]
  const address = services.haproxy.networks.default.ipv4_address
  const isIn = (range: string) => {
    const [start = '', prefix] = range.split('/')
    const list = new BlockList()
    list.addSubnet(start, Number(prefix), 'ipv4')
    return list.check(address)
  }
  t.ok(isIn(subnet))
  t.notOk(isIn(others))
  for (const name of ['certdata-1', 'certdata-2'])
    t.equal(services[name].environment.TRUSTED_PROXIES, address, name)
})

t.test('images have a tag and a digest', (t) => {
  const { services } = parse(read('compose.yaml'), { merge: true })
  const images = Object.values<{ image: string; build?: string }>(services).filter(({ build }) => !build)
  const named = images.map(({ image }) => image)
  named.push(...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image))
  t.equal(named.length, 8)
  for (const image of named) t.match(image, /^[a-z/]+:v?\d[\w.-]+@sha256:[\da-f]{64}$/)
  t.end()
})

t.test('no service uses the superuser’s login, and no instance the owner’s', (t) => {
  const { services } = parse(read('compose.yaml'), { merge: true })
  for (const name of ['certdata-1', 'certdata-2']) {
    const { environment } = services[name]
    t.match(environment.DATABASE_URL, /^postgresql:\/\/certdata_web:/)
    t.notOk('DATABASE_ADMIN_URL' in environment)
    t.notMatch(JSON.stringify(environment), /POSTGRES_PASSWORD/)
  }
  const { migrate, postgres } = services
  t.match(migrate.environment.DATABASE_ADMIN_URL, /^postgresql:\/\/certdata_owner:/)
  for (const [name, { environment = {} }] of Object.entries<{ environment?: object }>(services))
    t.equal(JSON.stringify(environment).includes('POSTGRES_PASSWORD'), name === 'postgres', name)
  const logins = read('deploy/postgres/logins.sql')
  for (const name of ['certdata_owner', 'certdata_web']) t.match(logins, `create role ${name} login`)
  t.notMatch(logins, /superuser password|bypassrls/)
  t.match(migrate.environment.PUBLIC_URL, String, 'and all else that an instance has')
  const script = 'logins.sql:/docker-entrypoint-initdb.d/'
  t.ok(postgres.volumes.some((each: string) => each.includes(script)))
  t.end()
})

/** haproxy on this machine, with the file's own limits and retries, under a limit of 20,000 descriptors. */
const startLimited = async (folder: string, ports: readonly number[]) => {
  const port = await freePort()
  const servers = ports.map((each, index) => `  server certdata-${index + 1} 127.0.0.1:${each}\n`)
  const text = read('deploy/haproxy.cfg')
    .replace(/bind :8443 .*/, `bind 127.0.0.1:${port}`)
    .replaceAll(/ {2}server certdata-1 .*\n {2}server certdata-2 .*\n/g, servers.join(''))
    .replaceAll(' resolvers dns init-addr last,libc,none', '')
    .replace(/resolvers dns[\s\S]*/, '')
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, text)
  const child = spawn('sh', ['-c', 'ulimit -n 20000 && exec haproxy -db -q -f "$0"', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  return { port, child, output: () => output }
}

t.test('haproxy starts under a limit of 20,000 descriptors, and tries a GET on another server', async (t) => {
  if (!run('haproxy', ['-v'])) return t.pass('starts', { skip: 'haproxy is not installed' })
  const answering = createServer((_request, response) => response.end('answered'))
  // Ready by its checks, and every other request ends its connection without an answer.
  const dying = createServer((request, response) => {
    if (request.url?.startsWith('/health')) response.end()
    else request.socket.destroy()
  })
  const ports: number[] = []
  for (const server of [dying, answering]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ports.push((server.address() as AddressInfo).port)
    t.teardown(() => void server.close())
  }
  const { port, child, output } = await startLimited(t.testdir(), ports)
  t.teardown(() => void child.kill('SIGKILL'))
  const ask = (method: string) => fetch(`http://127.0.0.1:${port}/v1/products`, { method })
  await until('it answers', async () => {
    if (child.exitCode !== null) throw new Error(output())
    return (await ask('GET').catch(() => undefined)) !== undefined
  })
  const statuses: number[] = []
  for (let count = 0; count < 10; count += 1) statuses.push((await ask('GET')).status)
  t.same(new Set(statuses), new Set([200]), 'no GET fails')
  // haproxy ends the connection, or says 502.
  const posts: boolean[] = []
  for (let count = 0; count < 10; count += 1) {
    posts.push(
      await ask('POST').then(
        ({ ok }) => ok,
        () => false,
      ),
    )
  }
  t.ok(posts.includes(false), 'what is no read is not sent twice')
})

t.test('haproxy accepts its configuration, except for names of the container network', async (t) => {
  const checked = run('haproxy', ['-c', '-f', 'deploy/haproxy.cfg'])
  if (!checked) return t.pass('takes it', { skip: 'haproxy is not installed' })
  const alerts = checked.output.split('\n').filter((line) => line.includes('[ALERT]'))
  t.same(
    alerts.filter((line) => !/certificates|resolv|Fatal errors|Error\(s\) found/.test(line)),
    [],
  )
})
