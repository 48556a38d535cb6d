import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { findPackages } from '../../../app/features/clients/packages.ts'
import { formatHashes } from '../../../clients/tools/packages.ts'

// Builds the stages of the Dockerfile in folders, without Docker: each COPY takes the files of the context or of another
// stage, and each RUN is run. Only `npm ci` is replaced: it would install 700 MB.

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const workFolder = '/srv/certdata'

type Instruction = Readonly<{ word: string; rest: string }>
type Stage = Readonly<{ name: string; instructions: readonly Instruction[] }>

const parseDockerfile = (text: string): Stage[] => {
  const lines = text.replace(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '')
  const instructions = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ word: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
  const stages: { name: string; instructions: Instruction[] }[] = []
  for (const instruction of instructions) {
    const [, name = 'image'] = / AS (\S+)$/.exec(instruction.rest) ?? []
    if (instruction.word === 'FROM') stages.push({ name, instructions: [] })
    else stages.at(-1)?.instructions.push(instruction)
  }
  return stages
}

/** Whether a build sends this path to Docker: the last rule that matches it or a folder above it wins. */
const createContextTest = (text: string) => {
  const rules = text.split('\n').filter((line) => line !== '')
  return (path: string): boolean => {
    const parts = path.split('/')
    const folders = parts.map((_, depth) => parts.slice(0, depth + 1).join('/'))
    const rule = rules.findLast((each) => each === '*' || folders.includes(each.replace(/^!/, '')))
    return rule?.startsWith('!') === true
  }
}
const isInContext = createContextTest(read('.dockerignore'))

/** The packages that `npm ci` installs with these words, as links to the installed ones. */
const linkPackages = (folder: string, words: string): void => {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; optional?: true; devOptional?: true }>
  }
  for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
    const isTop = path !== '' && !path.slice('node_modules/'.length).includes('node_modules/')
    const isOmitted =
      (words.includes('--omit=dev') && (dev || devOptional)) ||
      (words.includes('--omit=optional') && (optional || devOptional))
    if (!isTop || isOmitted || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(root, path), join(folder, path))
  }
}

const stages = parseDockerfile(read('Dockerfile'))
/** Changing users and owners is for root, as the user of a build is. */
const isRoot = process.getuid?.() === 0

type Build = { folders: Map<string, string>; ran: string[] }

const copy = (folders: Build['folders'], folder: string, rest: string): void => {
  const words = rest.split(' ')
  const from = /^--from=(\S+)/.exec(rest)?.[1]
  const paths = words.slice(from === undefined ? 0 : 1)
  const target = join(folder, paths.pop() ?? '')
  for (const path of paths) {
    const source = from === undefined ? join(root, path) : path.replace(workFolder, folders.get(from) ?? '')
    const isFolder = statSync(source).isDirectory()
    if (from === undefined && !isInContext(path)) throw new Error(`${path} is not in the context`)
    cpSync(source, isFolder ? target : join(target, basename(path)), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (each) => from !== undefined || isInContext(relative(root, each)),
    })
  }
}

const buildStage = ({ name, instructions }: Stage, { folders, ran }: Build, at: string): void => {
  const folder = join(at, name)
  mkdirSync(folder, { recursive: true })
  folders.set(name, folder)
  const env: Record<string, string> = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: at }
  for (const { word, rest } of instructions) {
    if (word === 'COPY') copy(folders, folder, rest)
    if (word === 'ENV')
      for (const pair of rest.split(' ')) env[pair.split('=')[0] ?? ''] = pair.split('=')[1] ?? ''
    if (word !== 'RUN' || (rest.includes('setpriv') && !isRoot)) continue
    ran.push(`${name}: ${rest.split(' ').slice(0, 3).join(' ')}`)
    if (/^npm ci\b/.test(rest)) {
      for (const file of ['package.json', 'package-lock.json', '.npmrc'])
        if (!existsSync(join(folder, file))) throw new Error(`npm ci needs ${file}`)
      linkPackages(folder, rest)
    } else {
      const command = rest.replaceAll(workFolder, folder)
      execFileSync('sh', ['-c', command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    }
  }
}

/** Where the stages are built. The user of the image must be able to read it. */
const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-image-'))
  chmodSync(folder, 0o755)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

t.test('every stage of the image finds its files, and the image has the clients’ packages', async (t) => {
  const build: Build = { folders: new Map(), ran: [] }
  const at = createFolder()
  for (const stage of stages) buildStage(stage, build, at)
  t.same(build.ran, [
    'dependencies: npm ci --omit=dev',
    'clients: npm ci --ignore-scripts',
    'clients: node clients/build.ts',
    ...(isRoot ? ['image: install -d -o'] : []),
  ])
  const image = build.folders.get('image') as string
  t.ok(existsSync(join(image, 'node_modules/fastify')))
  t.notOk(existsSync(join(image, 'node_modules/typescript')), 'without packages for development')
  const packages = join(image, 'app/features/clients/packages')
  const built = findPackages(pathToFileURL(`${packages}/`)) ?? []
  t.equal(built.length, 2)
  for (const each of built) {
    t.ok(read('CHANGELOG.md').includes(formatHashes(each)), 'the hashes of the changelog')
    const bytes = readFileSync(join(packages, each.file))
    t.equal(createHash('sha256').update(bytes).digest('hex'), each.sha256, each.file)
  }
  const shown = ['clients/typescript/README.md', 'clients/python/README.md', 'docs/account.md']
  for (const path of shown) t.equal(readFileSync(join(image, path), 'utf8'), read(path), path)
  if (isRoot) t.ok(readdirSync(join(image, 'node_modules/.cache/compiled')).length > 0, 'compiled code')
})

t.test('a stage without a file that it needs, or in another order, does not build', async (t) => {
  const stage = stages.find(({ name }) => name === 'clients') as Stage
  const { instructions } = stage
  const without = (rest: string) => instructions.filter((each) => !each.rest.startsWith(rest))
  const last = instructions.filter(({ word }) => word === 'COPY').at(-1) as Instruction
  for (const [name, changed] of Object.entries({
    'no lock': [{ word: 'COPY', rest: 'package.json .npmrc tsconfig.json ./' }, ...without('package.json')],
    'no clients': without('clients '),
    'no list of packages': without('app/features/clients'),
    'a copy after the build': [...instructions.filter((each) => each !== last), last],
  }))
    t.throws(
      () =>
        buildStage(
          { name: 'clients', instructions: changed },
          { folders: new Map(), ran: [] },
          createFolder(),
        ),
      /npm ci needs package-lock\.json|Cannot find module/,
      name,
    )
})

t.test('the context has the files of .dockerignore’s rules, and no built ones', async (t) => {
  for (const path of ['clients', 'clients/build.ts', 'app/features/clients', '.npmrc', 'tsconfig.json'])
    t.ok(isInContext(path), path)
  for (const path of ['clients/typescript/dist/index.js', 'app/features/clients/packages', 'test', '.git'])
    t.notOk(isInContext(path), path)
})
