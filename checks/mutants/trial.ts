import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './sample.ts'
import { importsOf, isCovered, measureTest, runTest, type TestFile } from './tests.ts'

const limits = { graceMs: 180_000, factor: 4 }

/** From 0: how likely a test judges the file. Process tests are slow, so they are last among equals. */
const getRank = (folder: string, test: string, { file, room }: { file: string; room: string }): number => {
  const isImporting = importsOf(folder, test).has(file)
  const isOwn = test.startsWith(room.replace(/^app/, 'test'))
  return (isImporting ? 0 : 4) + (isOwn ? 0 : 2) + (test.endsWith('.process.ts') ? 1 : 0)
}

type Verdict = Readonly<{
  /** The first test file that fails or hangs. `undefined` if all pass. */
  killer: string | undefined
  /** The number of test files that ran. */
  tried: number
}>

/** Tries mutants in a copy of the project. It measures a test file when a mutant first needs it. */
export const createTrial = ({
  folder,
  room,
  files,
  prefix,
}: {
  folder: string
  room: string
  files: readonly string[]
  prefix: readonly string[]
}) => {
  const measured = new Map<string, TestFile>()

  const measure = async (test: string): Promise<TestFile> => {
    const found = measured.get(test) ?? (await measureTest(folder, test, prefix))
    measured.set(test, found)
    return found
  }

  /** Those that import the file first, then the room's own, then the faster ones. */
  const order = (file: string): string[] => {
    const rank = (test: string) => getRank(folder, test, { file, room })
    const getMs = (test: string) => measured.get(test)?.ms ?? Number.MAX_SAFE_INTEGER
    return files.toSorted((a, b) => rank(a) - rank(b) || getMs(a) - getMs(b))
  }

  return async ({ file, start, end, after, text }: Mutant): Promise<Verdict> => {
    let tried = 0
    for (const test of order(file)) {
      const found = await measure(test)
      if (!isCovered(found, file, start)) continue
      tried += 1
      writeFileSync(join(folder, file), text.slice(0, start) + after + text.slice(end))
      const limitMs = limits.graceMs + limits.factor * found.ms
      const run = () => runTest(folder, test, { limitMs, prefix })
      const first = await run()
      // On a busy machine, a run may have waited for its turn.
      const { isGood, isHung } = first.isHung ? await run() : first
      writeFileSync(join(folder, file), text)
      if (!isGood) return { killer: isHung ? `${test} hung` : test, tried }
    }
    return { killer: undefined, tried }
  }
}
