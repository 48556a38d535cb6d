import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTest, type TestTime } from './test-run.ts'

/** Tests that judge a room from another folder and do not import its files. */
const more: Readonly<Record<string, readonly string[]>> = {
  'app/records': ['test/api/queries.test.ts', 'test/features/history/*.test.ts'],
  'app/cache': ['test/db/changes.test.ts'],
  'app/identity': ['test/features/rotation/*.test.ts'],
  'app/features/feed': ['test/features/feed/differences.test.ts'],
}

type Range = { startOffset: number; endOffset: number; count: number }
type Script = { url: string; functions: { ranges: Range[] }[] }

/** `ranges`: of V8's coverage, by source file. */
export type TestFile = TestTime & Readonly<{ ranges: ReadonlyMap<string, readonly Range[]> }>

/** Lists the project's files that a file imports itself. */
export const listImports = (folder: string, file: string): Set<string> => {
  const text = readFileSync(join(folder, file), 'utf8')
  const targets = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, target = '']) => target)
  return new Set(targets.map((target) => normalize(join(file, '..', target))))
}

/** They compare statements with their stored text, so every change of SQL fails, and they prove no behaviour. */
const isGolden = (folder: string, file: string): boolean =>
  listImports(folder, file).has('test/records/golden.ts')

/** Whether a test imports a mutated file. In the suite of `npm test`, importing one of its importers is enough. */
const isNear = (folder: string, test: string, mutated: ReadonlySet<string>): boolean => {
  const imports = [...listImports(folder, test)]
  const isMutated = (file: string) => mutated.has(file)
  if (imports.some(isMutated)) return true
  return (
    test.endsWith('.test.ts') &&
    imports.some((file) => file.startsWith('app/') && [...listImports(folder, file)].some(isMutated))
  )
}

const getTestFolder = (room: string): string => room.replace(/^app/, 'test')

/** Lists the tests in the folder of `test/` with the name of the room or feature, and those named above. */
export const listOwnTests = (folder: string, room: string): string[] => {
  const patterns = [`${getTestFolder(room)}/**/*.test.ts`, ...(more[room] ?? [])]
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: folder }))
    .filter((file) => !isGolden(folder, file))
}

/** Lists the room's own tests, tests near a mutated file, and process tests with the name of a mutated file. */
export const listTests = (folder: string, room: string, mutated: ReadonlySet<string>): string[] => {
  const glob = (pattern: string) => globSync(pattern, { cwd: folder })
  const named = [...mutated].flatMap((file) =>
    glob(`${getTestFolder(room)}/${basename(file, '.ts')}.process.ts`),
  )
  const near = glob('test/**/*.{test,process}.ts').filter(
    (test) => !isGolden(folder, test) && isNear(folder, test, mutated),
  )
  return [...new Set([...listOwnTests(folder, room), ...near, ...named])].sort()
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

/** Runs a test file of unchanged code and returns its normal time and coverage. Returns `undefined` if it fails twice. */
export const measureTest = async (
  folder: string,
  file: string,
  prefix: readonly string[],
): Promise<TestFile | undefined> => {
  const coverage = mkdtempSync(join(tmpdir(), 'certdata-coverage-'))
  try {
    const measure = () => runTest(folder, file, { env: { NODE_V8_COVERAGE: coverage }, prefix })
    const first = await measure()
    const { end, ms, cpuSeconds } = first.end === 'passed' ? first : await measure()
    return end === 'passed' ? { ms, cpuSeconds, ranges: readRanges(folder, coverage) } : undefined
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
