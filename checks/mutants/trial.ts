import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './sample.ts'
import { importsOf, isCovered, listOwnTests, measureTest, runTest, type TestFile } from './tests.ts'

const limits = { graceMs: 180_000, factor: 4 }

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
  const own = new Set(listOwnTests(folder, room))

  /** From 0: how likely a test judges the file. Process tests are slow, so they are last among equals. */
  const getRank = (test: string, file: string): number => {
    const isImporting = importsOf(folder, test).has(file)
    return (isImporting ? 0 : 4) + (own.has(test) ? 0 : 2) + (test.endsWith('.process.ts') ? 1 : 0)
  }

  const measure = async (test: string): Promise<TestFile> => {
    const found = measured.get(test) ?? (await measureTest(folder, test, prefix))
    measured.set(test, found)
    return found
  }

  /** Those that import the file first, then the room's own, then the faster ones. */
  const order = (file: string): string[] => {
    const getMs = (test: string) => measured.get(test)?.ms ?? Number.MAX_SAFE_INTEGER
    return files.toSorted((a, b) => getRank(a, file) - getRank(b, file) || getMs(a) - getMs(b))
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
