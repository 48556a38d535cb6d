import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify, { type FastifyError } from 'fastify'
import t from 'tap'
import { findPackages } from '../../../app/features/clients/packages.ts'
import { clientsPage } from '../../../app/features/clients/page.ts'
import { renderReadme } from '../../../app/features/clients/readme.ts'
import type { SiteFile } from '../../../app/site/site.ts'
import {
  type BuiltPackage,
  buildPackages,
  formatHashes,
  replaceHashes,
  writePackages,
} from '../../../clients/tools/packages.ts'
import type { Deps } from '../../../plugins/deps.ts'
import { createClientRoutes } from '../../../routes/clients.ts'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const packages = buildPackages()
const [tarball, wheel] = packages as readonly [BuiltPackage, BuiltPackage]

t.test('another process, time zone and mask of modes build the same bytes', async (t) => {
  const program = `process.umask(0o077)
    const { buildPackages } = await import('${pathToFileURL(join(root, 'clients/tools/packages.ts'))}')
    console.log(JSON.stringify(buildPackages().map(({ sha256 }) => sha256)))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: t.testdir(),
    env: { PATH: process.env.PATH, TZ: 'Asia/Tokyo', LC_ALL: 'C' },
    encoding: 'utf8',
  })
  t.same(JSON.parse(output), [tarball.sha256, wheel.sha256])
  for (const { content, sha256, integrity } of packages) {
    t.equal(createHash('sha256').update(content).digest('hex'), sha256)
    t.equal(`sha512-${createHash('sha512').update(content).digest('base64')}`, integrity)
  }
})

t.test('the changelog has the hashes of both packages', async (t) => {
  const lines = read('CHANGELOG.md').split('\n')
  for (const each of packages)
    t.ok(lines.includes(formatHashes(each)), `run npm run client:hashes: ${formatHashes(each)}`)
  const old = packages.map((each) => formatHashes({ ...each, sha256: '0'.repeat(64) })).join('\n')
  t.equal(replaceHashes(old, packages), packages.map(formatHashes).join('\n'))
  t.throws(() => replaceHashes('', packages), /no line that begins with - `certdata-client-/)
})

t.test('documents and pages name the files of this version', async (t) => {
  const files = globSync(['*.md', '{docs,clients}/**/*.md', 'app/**/*.ts'], {
    cwd: root,
    exclude: (path) => /node_modules|packages$/.test(path),
  })
  const known = new Set(packages.map(({ file }) => file))
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/certdata[_-]client-\d[\w.-]*?\.(?:tgz|whl)/g)].map(([name]) => ({ file, name })),
  )
  t.ok(named.length >= 5)
  t.same(
    named.filter(({ name }) => !known.has(name)),
    [],
  )
})

t.test('the tarball has the files and modes that npm would pack', async (t) => {
  const folder = t.testdir()
  writeFileSync(join(folder, tarball.file), tarball.content)
  execFileSync('tar', ['-xzf', tarball.file], { cwd: folder })
  const inPackage = join(folder, 'package')
  t.same(readdirSync(inPackage).sort(), ['README.md', 'bin', 'dist', 'package.json'])
  t.equal(readFileSync(join(inPackage, 'README.md'), 'utf8'), read('clients/typescript/README.md'))
  t.equal(statSync(join(inPackage, 'bin/certdata-client.js')).mode & 0o777, 0o755)
  t.equal(statSync(join(inPackage, 'dist/index.js')).mode & 0o777, 0o644)
})

const readmeOptions = {
  publicUrl: 'https://api.example',
  demoToken: 'cda_demo_another',
  shownFiles: { 'clients/README.md': '/clients/' },
}
const readmes = {
  typescript: renderReadme('typescript', readmeOptions),
  python: renderReadme('python', readmeOptions),
}

t.test('the page has both packages with their hashes, both READMEs and the licence', async (t) => {
  const { main } = clientsPage({ publicUrl: 'https://api.example', packages, readmes })
  for (const { file, version, sha256 } of packages) {
    t.match(main.html, `install https://api.example/clients/${file}`)
    t.match(main.html, `href="/clients/${file}"`)
    t.match(main.html, version)
    t.match(main.html, sha256)
  }
  t.match(main.html, tarball.integrity)
  t.match(main.html, 'UNLICENSED')
  t.match(main.html, 'under their contract')
  t.match(main.html, 'cda_demo_another')
  t.notMatch(main.html, /npm run|\.ci\/|localhost:3000|cda_demo_public|npm publish/)
  t.equal(main.html.split('npm install').length - 1, 1)
  t.equal(main.html.split('pip install').length - 1, 2, 'without and with the extra')
  t.match(main.html, /certdata-client\[signatures\] @ https:\/\/api\.example\/clients\//)
  const ids = [...main.html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  t.equal(new Set(ids).size, ids.length, 'ids are unique')
  for (const [, id] of main.html.matchAll(/ href="#([^"]+)"/g)) t.ok(ids.includes(id), `#${id} exists`)
  for (const [, link] of main.html.matchAll(/ href="([^"]+)"/g))
    t.match(link, /^(#|\/clients\/|\/docs\/guides\/|https:)/)
})

t.test('without the packages, the page says so and has both READMEs', async (t) => {
  const { main } = clientsPage({ publicUrl: 'https://api.example', packages: undefined, readmes })
  t.match(main.html, 'npm run build:clients')
  t.match(main.html, 'id="python-errors"')
  t.notMatch(main.html, /href="\/clients\/|SHA-256<\/th>|(?:npm|pip) install/)
})

/** The routes for the packages of a folder. */
const listen = async (folder: string) => {
  const app = Fastify()
  app.setErrorHandler<FastifyError & { status?: number }>((error, _request, reply) =>
    reply.code(error.status ?? 500).send(error.message),
  )
  app.decorate('site', { toPage: () => ({}) as SiteFile } as never)
  await app.register(createClientRoutes(pathToFileURL(`${folder}/`)).public as never, {
    publicUrl: 'https://api.example',
    config: { demoToken: 'cda_demo_public' } as Deps['config'],
  })
  t.teardown(() => app.close())
  return (url: string) => app.inject({ url, headers: { 'accept-encoding': 'br, gzip' } })
}

t.test('packages have immutable addresses, and their bytes are those of the hash', async (t) => {
  const folder = join(t.testdir(), 'packages')
  mkdirSync(folder)
  writeFileSync(join(folder, 'certdata-client-0.0.1.tgz'), 'an older version')
  writePackages(packages, folder)
  t.same(readdirSync(folder).sort(), [tarball.file, wheel.file, 'packages.json'].sort())
  const get = await listen(folder)
  for (const { file, sha256 } of packages) {
    const answer = await get(`/clients/${file}`)
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
    t.equal(answer.headers['content-encoding'], undefined)
    t.equal(createHash('sha256').update(answer.rawPayload).digest('hex'), sha256)
  }
  const other = await get('/clients/certdata-client-0.0.1.tgz')
  t.equal(other.statusCode, 404)
  t.match(other.body, `The packages of this release are /clients/${tarball.file} and /clients/${wheel.file}`)
  t.match(await get('/clients'), { statusCode: 308, headers: { location: '/clients/' } })
})

t.test('packages that were not built are 404 with the command that builds them', async (t) => {
  const folder = t.testdir()
  t.equal(findPackages(pathToFileURL(`${folder}/`)), undefined)
  const get = await listen(folder)
  const answer = await get(`/clients/${tarball.file}`)
  t.equal(answer.statusCode, 404)
  t.match(answer.body, 'npm run build:clients')
})
