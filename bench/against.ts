import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stopWithProcess } from './lib/endings.ts'
import { makeFolder } from './lib/processes.ts'
import { say } from './lib/progress.ts'
import type { Release } from './lib/world.ts'
import type { Scenario } from './scenarios.ts'

const root = join(import.meta.dirname, '..')

const runGit = (...words: string[]): string =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Returns the short name of a commit. Throws if there is no such commit. */
const resolveCommit = (commit: string): string => {
  try {
    return runGit('rev-parse', '--short', '--verify', '--end-of-options', `${commit}^{commit}`)
  } catch (error) {
    throw new Error(`There is no commit ${commit} here: fetch it first`, { cause: error })
  }
}

const readLock = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8')

/** The same dependencies are shared, so that only the service differs. */
const installDependencies = (folder: string): void => {
  if (readLock(folder) === readLock(root)) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    return
  }
  say('Its dependencies differ: npm ci')
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/**
 * Checks out a commit in a temporary folder and installs its dependencies. `stop` removes the folder. Throws if the
 * commit does not exist.
 */
export const checkOut = async (
  commit: string,
): Promise<Release & { name: string; stop: () => Promise<void> }> => {
  const name = resolveCommit(commit)
  const parent = makeFolder()
  const checkout = join(parent, 'checkout')
  const { stop } = stopWithProcess({
    stop: async () => {
      rmSync(parent, { recursive: true, force: true })
      runGit('worktree', 'prune')
    },
  })
  try {
    runGit('worktree', 'add', '--detach', checkout, name)
    installDependencies(checkout)
    const seed = await import(pathToFileURL(join(checkout, 'bench/lib/seed.ts')).href)
    return { name, checkout, seed, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Returns the scenarios that both releases have. The reference of each is the other release, which keeps running
 * afterwards.
 */
export const pairScenarios = (
  ours: readonly Scenario[],
  theirs: readonly Scenario[],
  name: string,
): Scenario[] =>
  ours.flatMap(({ name: scenario, subject, stores = [] }): Scenario[] => {
    const other = theirs.find((each) => each.name === scenario)
    if (!other) return []
    const server = { ...other.subject.server, stop: async () => {} }
    return [
      {
        name: scenario,
        against: `commit ${name}`,
        subject,
        stores,
        referenceStores: other.stores ?? [],
        mayDiffer: true,
        startReference: async () => ({ ...other.subject, server }),
      },
    ]
  })
