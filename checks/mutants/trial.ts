import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './sample.ts'
import { runTest, type TestRun } from './test-run.ts'
import { isCovered, listImports, measureTest, type TestFile } from './tests.ts'

/** Tests wait at least this long for an event. A failure after this time may be one of a busy machine. */
const shortestPatienceMs = 20_000

/** The tests of a room. `own`: those in its folder. `isQuick`: without the tests of other rooms that are not importers. */
export type RoomTests = Readonly<{ files: readonly string[]; own: ReadonlySet<string>; isQuick: boolean }>

/** Of tests of other rooms that do not import the file. */
const farRank = 6

export type Verdict = Readonly<{
  end: 'killed' | 'survived' | 'not judged'
  /** How the last test file ended. */
  how: TestRun['end']
  /** The last test file. `undefined` if no test executes the place. */
  test: string | undefined
  /** The number of test files that ran. */
  tried: number
}>

/** Tries mutants in a copy of the project. It measures a test file when a mutant first needs it. */
export const createTrial = ({ folder, prefix }: { folder: string; prefix: readonly string[] }) => {
  const measured = new Map<string, TestFile | undefined>()
  /** The tests that killed mutants of a source file. They probably execute and judge its next mutants, too. */
  const killers = new Map<string, Set<string>>()

  /** From 0: how likely a test judges the file. Process tests are slow, so they are last among equals. */
  const getRank = (test: string, file: string, own: ReadonlySet<string>): number => {
    const isImporting = listImports(folder, test).has(file)
    return (isImporting ? 0 : 4) + (own.has(test) ? 0 : 2) + (test.endsWith('.process.ts') ? 1 : 0)
  }

  const measure = async (test: string): Promise<TestFile | undefined> => {
    if (!measured.has(test)) measured.set(test, await measureTest(folder, test, prefix))
    return measured.get(test)
  }

  /** Test files that killed another mutant of the file first, then importers, the room's own, and the faster ones. */
  const order = (file: string, { files, own, isQuick }: RoomTests): string[] => {
    const isKiller = (test: string) => Number(killers.get(file)?.has(test) ?? false)
    const getSeconds = (test: string) => measured.get(test)?.cpuSeconds ?? Number.MAX_SAFE_INTEGER
    const chosen = isQuick ? files.filter((test) => getRank(test, file, own) < farRank) : files
    return chosen.toSorted(
      (a, b) =>
        isKiller(b) - isKiller(a) ||
        getRank(a, file, own) - getRank(b, file, own) ||
        getSeconds(a) - getSeconds(b),
    )
  }

  /** `busy`: the unchanged code hangs, too. */
  const judge = async (
    { file, start, end, after, text }: Mutant,
    test: string,
    normal: TestFile,
  ): Promise<TestRun['end'] | 'busy'> => {
    const run = (code: string) => {
      writeFileSync(join(folder, file), code)
      return runTest(folder, test, { prefix, normal })
    }
    const mutated = text.slice(0, start) + after + text.slice(end)
    try {
      const first = await run(mutated)
      const isSlow = first.end === 'hung' || (first.end === 'failed' && first.ms > shortestPatienceMs)
      if (!isSlow) return first.end
      const second = await run(mutated)
      if (second.end !== 'hung') return second.end
      return (await run(text)).end === 'passed' ? 'hung' : 'busy'
    } finally {
      writeFileSync(join(folder, file), text)
    }
  }

  const tryMutant = async (mutant: Mutant, room: RoomTests): Promise<Verdict> => {
    let tried = 0
    for (const test of order(mutant.file, room)) {
      const normal = await measure(test)
      if (!normal || !isCovered(normal, mutant.file, mutant.start)) continue
      tried += 1
      const how = await judge(mutant, test, normal)
      if (how === 'busy') return { end: 'not judged', how: 'hung', test, tried }
      if (how === 'passed') continue
      killers.set(mutant.file, (killers.get(mutant.file) ?? new Set()).add(test))
      return { end: 'killed', how, test, tried }
    }
    return { end: 'survived', how: 'passed', test: undefined, tried }
  }

  /** Lists the test files that fail without a mutation. They judge nothing. */
  const listFailing = () => [...measured].filter(([, found]) => !found).map(([test]) => test)

  return { tryMutant, listFailing }
}
