import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { listMutations, type Mutation } from './mutations.ts'

export type Mutant = Mutation & Readonly<{ file: string; line: number; before: string; text: string }>

const seed = 49

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

/**
 * A name by the folder's path to the file, the text of the line and the place in it. Edits of other lines and a move of
 * the folder keep it.
 */
const getName = (folder: string, { file, start, after, text }: Mutant): string => {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const line = text.slice(lineStart, text.indexOf('\n', start)).trimStart()
  return [relative(folder, file), line, text.slice(lineStart, start).trimStart().length, after].join('\n')
}

/**
 * Chooses `count` mutants, in the order of `all`. An edit replaces only mutants of its lines, so figures of one commit
 * hold for the next.
 */
export const choose = (folder: string, all: readonly Mutant[], count: number): Mutant[] => {
  const repeats = new Map<string, number>()
  const rank = (mutant: Mutant): string => {
    const name = getName(folder, mutant)
    const repeat = repeats.get(name) ?? 0
    repeats.set(name, repeat + 1)
    return createHash('sha256').update(`${seed}\n${name}\n${repeat}`).digest('hex')
  }
  const ranks = new Map(all.map((mutant) => [mutant, rank(mutant)]))
  const getRank = (mutant: Mutant) => ranks.get(mutant) as string
  const chosen = new Set(all.toSorted((a, b) => (getRank(a) < getRank(b) ? -1 : 1)).slice(0, count))
  return all.filter((mutant) => chosen.has(mutant))
}
