import { globSync } from 'node:fs'
import { join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { listMutations, type Mutation } from './mutations.ts'

export type Mutant = Mutation & Readonly<{ file: string; line: number; before: string; text: string }>

const seed = 49

/** Mulberry32. Returns numbers from 0 to 1, the same in each run. */
const createRandom = () => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Lists all mutants of a folder by file and place. `root` has the tsconfig.json. */
export const listMutants = (root: string, folder: string): Mutant[] => {
  const api = new API({ cwd: root })
  try {
    const project = api.updateSnapshot({ openProject: join(root, 'tsconfig.json') }).getProjects()[0]
    if (!project) throw new Error('tsconfig.json has no project')
    return globSync(`${folder}/**/*.ts`, { cwd: root })
      .sort()
      .flatMap((file) => {
        const source = project.program.getSourceFile(join(root, file))
        if (!source) return []
        return listMutations(source).map((mutation) => ({
          ...mutation,
          file,
          line: source.text.slice(0, mutation.start).split('\n').length,
          before: source.text.slice(mutation.start, mutation.end),
          text: source.text,
        }))
      })
  } finally {
    api.close()
  }
}

/** Chooses `count` mutants, in the order of `all`. */
export const choose = (all: readonly Mutant[], count: number): Mutant[] => {
  const random = createRandom()
  const order = new Map(all.map((mutant) => [mutant, random()]))
  const rank = (mutant: Mutant) => order.get(mutant) ?? 1
  const chosen = new Set([...all].sort((a, b) => rank(a) - rank(b)).slice(0, count))
  return all.filter((mutant) => chosen.has(mutant))
}
