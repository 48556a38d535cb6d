import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { basename, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Tests that judge a room from another folder and do not import its files. */
const more: Readonly<Record<string, readonly string[]>> = {
  'app/records': ['test/api/queries.test.ts', 'test/history/*.test.ts'],
  'app/cache': ['test/db/changes.test.ts'],
  'app/feed': ['test/history/feed.test.ts'],
}
const seed = '49'

type Range = { startOffset: number; endOffset: number; count: number }
type Script = { url: string; functions: { ranges: Range[] }[] }

/** `ranges`: of V8's coverage, by source file. */
export type TestFile = Readonly<{
  ms: number
  ranges: ReadonlyMap<string, readonly Range[]>
}>

export const importsOf = (folder: string, file: string): Set<string> => {
  const text = readFileSync(join(folder, file), 'utf8')
  const targets = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, target = '']) => target)
  return new Set(targets.map((target) => normalize(join(file, '..', target))))
}

/** Whether a test imports a mutated file. In the suite of `npm test`, importing one of its importers is enough. */
const isNear = (folder: string, test: string, mutated: ReadonlySet<string>): boolean => {
  const imports = [...importsOf(folder, test)]
  const isMutated = (file: string) => mutated.has(file)
  if (imports.some(isMutated)) return true
  return (
    test.endsWith('.test.ts') &&
    imports.some((file) => file.startsWith('app/') && [...importsOf(folder, file)].some(isMutated))
  )
}

/** Lists the tests in the room's folder of `test/`, and those named above. */
export const listOwnTests = (folder: string, room: string): string[] => {
  const patterns = [`${room.replace(/^app/, 'test')}/**/*.test.ts`, ...(more[room] ?? [])]
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: folder }))
}

/** Lists the room's own tests, tests near a mutated file, and process tests with the name of a mutated file. */
export const listTests = (folder: string, room: string, mutated: ReadonlySet<string>): string[] => {
  const glob = (pattern: string) => globSync(pattern, { cwd: folder })
  const named = [...mutated].flatMap((file) => {
    const [, name] = file.split('/')
    return glob(`test/${name}/${basename(file, '.ts')}.process.ts`)
  })
  const near = glob('test/**/*.{test,process}.ts').filter((test) => isNear(folder, test, mutated))
  return [...new Set([...listOwnTests(folder, room), ...near, ...named])].sort()
}

type Run = { isGood: boolean; isHung: boolean; ms: number }

/** Runs a test file until its first failure. `prefix`: words of a command that starts it. */
export const runTest = (
  folder: string,
  file: string,
  { limitMs, env = {}, prefix }: { limitMs: number; env?: Record<string, string>; prefix: readonly string[] },
): Promise<Run> => {
  const began = performance.now()
  const processInfo = join(folder, 'node_modules/@tapjs/processinfo/dist/esm/import.mjs')
  const [program = '', ...words] = [
    ...prefix,
    process.execPath,
    '--require=./test/preload.cjs',
    `--import=${processInfo}`,
    file,
  ]
  // TAP=1 keeps the PostgreSQL of the run until this process ends.
  const fixed = {
    TAP: '1',
    TAP_BAIL: '1',
    TAP_TIMEOUT: '0',
    RANDOM_SEED: seed,
    NODE_COMPILE_CACHE: join(folder, '.compiled'),
  }
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, ...fixed, TEST_POSTGRES_KEY: String(process.pid), ...env },
    stdio: 'ignore',
    detached: true,
  })
  return new Promise((resolve) => {
    let isHung = false
    const killGroup = () => {
      try {
        process.kill(-(child.pid as number), constants.signals.SIGKILL)
      } catch {}
    }
    const timer = setTimeout(() => {
      isHung = true
      killGroup()
    }, limitMs)
    child.once('exit', (code) => {
      clearTimeout(timer)
      killGroup()
      resolve({ isGood: code === 0, isHung, ms: performance.now() - began })
    })
  })
}

const readRanges = (folder: string, coverage: string): Map<string, Range[]> => {
  const ranges = new Map<string, Range[]>()
  for (const name of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: Script[] }
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue
      const file = relative(folder, fileURLToPath(url))
      if (!file.startsWith('app/')) continue
      const found = functions.flatMap((each) => each.ranges)
      ranges.set(file, [...(ranges.get(file) ?? []), ...found])
    }
  }
  return ranges
}

/** Runs a test file of unchanged code and returns its time and coverage. Throws if it fails twice. */
export const measureTest = async (
  folder: string,
  file: string,
  prefix: readonly string[],
): Promise<TestFile> => {
  const coverage = mkdtempSync(join(tmpdir(), 'certdata-coverage-'))
  try {
    const env = { NODE_V8_COVERAGE: coverage }
    const measure = () => runTest(folder, file, { limitMs: 600_000, env, prefix })
    const first = await measure()
    const { isGood, ms } = first.isGood ? first : await measure()
    if (!isGood) throw new Error(`${file} fails twice without any mutation`)
    return { ms, ranges: readRanges(folder, coverage) }
  } finally {
    rmSync(coverage, { recursive: true, force: true })
  }
}

/** Whether the smallest range around an offset was executed. Processes of one test each have their own ranges. */
export const isCovered = (test: TestFile, file: string, offset: number): boolean => {
  const around = (test.ranges.get(file) ?? []).filter(
    ({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset,
  )
  const smallest = Math.min(...around.map(({ startOffset, endOffset }) => endOffset - startOffset))
  return around.some(({ startOffset, endOffset, count }) => count > 0 && endOffset - startOffset === smallest)
}
