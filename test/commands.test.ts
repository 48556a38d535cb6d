import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

/**
 * A reader may run every documented command with a key in the environment. So no command may download a package whose
 * name is free in a public registry, where a stranger could publish it.
 */

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

type Locked = { bin?: Record<string, string>; version?: string }
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
const dependencies = Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'))
const npmNames = new Set(dependencies.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13)))
const npmPrograms = new Set(dependencies.flatMap(([, { bin }]) => Object.keys(bin ?? {})))
/** A dependency with its version. */
const isLocked = (word: string) => {
  const [, name, version] = /^(.+)@([\d.]+)/.exec(word) ?? []
  return version !== undefined && packages[`node_modules/${name}`]?.version === version
}
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
const { scripts: clientScripts } = JSON.parse(read('clients/typescript/package.json')) as typeof packages & {
  scripts: Record<string, string>
}

/** Known packages of other publishers, which a document may install by name. */
const pythonNames = new Set(['build', 'cryptography', 'httpx', 'pip'])
const images = new Set(['debian', 'haproxy', 'nginx', 'node', 'postgres', 'redis'])
const goModules = /^go\.k6\.io\/k6@v[\d.]+$/
/** A path, or an address of the reader's own service. */
const isOurs = (word: string) =>
  /^(?:\.{0,2}\/|https?:\/\/(?:your\.address|localhost)\b|\$\{publicUrl\}\/|\w+\/\w|-r$)/.test(word)
const isPinned = (word: string) => /^(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/.test(word)
const unquote = (word: string) => word.replaceAll(/["']/g, '')
const withoutOptions = (words: readonly string[]) => words.filter((word) => !word.startsWith('-'))

const checkNpx = ([first = '', second = '', ...rest]: readonly string[]): boolean => {
  if (first === 'certdata' || first === 'certdata-client') return false
  // With --no, npx runs a program of this folder or of the folders above, or none.
  if (first === '--no') return ['certdata', 'certdata-client'].includes(second)
  if (first.startsWith('--package=')) return isPinned(first.slice('--package='.length))
  return first.startsWith('-') ? checkNpx([second, ...rest]) : npmPrograms.has(first) || isPinned(first)
}

const checkNpm = (words: readonly string[]): boolean => {
  const [verb = '', ...rest] = withoutOptions(words.filter((_word, index) => words[index - 1] !== '--prefix'))
  if (['run', 'run-script'].includes(verb))
    return Object.hasOwn({ ...scripts, ...clientScripts }, rest[0] ?? '')
  if (['exec', 'x', 'create', 'init'].includes(verb)) return false
  if (!['i', 'install', 'add', 'pack'].includes(verb)) return true
  return rest.every((word) => isOurs(word) || npmNames.has(word) || isLocked(word))
}

const checkPip = ([verb, ...rest]: readonly string[]): boolean =>
  verb !== 'install' ||
  withoutOptions(rest)
    .join(' ')
    // The address decides, not the name before it.
    .replace(/[\w-]+(?:\[[\w,]+\])? @ /g, '')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => unquote(word).replace(/\[.*$/, ''))
    .every((word) => isOurs(word) || pythonNames.has(word.replace(/[=<>~!].*$/, '')))

const checkDocker = ([verb = '', ...rest]: readonly string[]): boolean =>
  !['pull', 'run'].includes(verb) ||
  withoutOptions(rest).some((word) => images.has(word.replace(/[:@].*$/, '')))

const programs: Record<string, (words: readonly string[]) => boolean> = {
  npx: checkNpx,
  npm: checkNpm,
  pip: checkPip,
  pip3: checkPip,
  docker: checkDocker,
  podman: checkDocker,
  go: ([verb, name = '']) => !['install', 'run', 'get'].includes(verb ?? '') || goModules.test(name),
  ...Object.fromEntries(
    ['pipx', 'uvx', 'bunx', 'brew', 'gem', 'cargo', 'yarn', 'pnpm', 'deno'].map((name) => [
      name,
      () => false,
    ]),
  ),
}
const invocation = new RegExp(
  `(?:^|[\\s\`'"|&;($])(${Object.keys(programs).join('|')}) ([^\`|;&\\n)<>#…]+)`,
  'g',
)

/** The commands of a text that may run code of strangers. */
const findUnsafe = (text: string): string[] =>
  [...text.matchAll(invocation)].flatMap(([, program = '', line = '']) => {
    const words = line.trim().split(/\s+/).map(unquote)
    return programs[program]?.(words) ? [] : [`${program} ${line.trim()}`]
  })

/** Code in Markdown, and lines of other files that are no comments. */
const listCode = (file: string): string => {
  const text = read(file)
  if (!file.endsWith('.md'))
    return text
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|\*|\/\*|#|--)/.test(line))
      .join('\n')
  return [...text.matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`/g)]
    .map(([, block, span]) => block ?? span)
    .join('\n')
}

t.test(
  'documents, pages and messages name only commands of this project and of known packages',
  async (t) => {
    const files = globSync(
      [
        '*.md',
        '{docs,bench,checks,clients,k6}/**/*.md',
        '{app,plugins,routes,schemas}/**/*.{ts,js,md,html,css}',
        'clients/*/{bin,src}/**/*.{js,ts,py}',
        'examples/**/*',
        'deploy/**/*',
        '{compose,biome}.*',
        'fly.toml',
      ],
      { cwd: root, exclude: (path) => /node_modules|\/dist\//.test(path) || path.endsWith('.png') },
    ).filter((file) => /\.\w+$/.test(file))
    t.ok(files.length > 100)
    for (const file of files) t.same(findUnsafe(listCode(file)), [], file)
  },
)

t.test('images are built here, or pinned by their hash', async (t) => {
  const named = ['Dockerfile', 'compose.yaml'].flatMap((file) =>
    [...read(file).matchAll(/^(?:FROM|\s+image:)\s+(\S+)/gm)].map(([, image = '']) => image),
  )
  t.ok(named.length > 0)
  const own = [...read('Dockerfile').matchAll(/ AS (\w+)$/gim)].map(([, name]) => name)
  for (const image of named)
    t.ok(image === 'certdata' || own.includes(image) || /@sha256:[0-9a-f]{64}$/.test(image), image)
})

t.test('the search finds commands that download a free name', async (t) => {
  const unsafe = [
    'npx certdata-client listen --forward http://localhost:8080/hook',
    'gunzip -c file | npx certdata import -',
    'npx --yes certdata migrate',
    'npx -p certdata-client listen',
    'npm install certdata-client',
    'npm exec certdata-client listen',
    "pip install 'certdata-client[signatures]'",
    "pip install 'certdata-client[signatures] @ https://stranger.example/certdata_client.whl'",
    'pipx run certdata-client',
    'uvx certdata-client listen',
    'docker run -it certdata/certdata',
    'go install example.com/certdata@latest',
  ]
  for (const command of unsafe) t.equal(findUnsafe(command).length, 1, command)
  const safe = [
    'npx --no certdata import - --customer acme',
    'npm ci && npm start',
    'npx --no certdata-client listen --forward http://localhost:8080/hook',
    'npx tap test/x.test.ts',
    'npm install https://your.address/clients/certdata-client-0.1.0.tgz',
    "pip install './clients/python[signatures]'",
    "pip install 'certdata-client[signatures] @ https://your.address/clients/certdata_client.whl'",
    'docker compose up -d --build',
  ]
  for (const command of safe) t.same(findUnsafe(command), [], command)
})
