import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Feature } from '../../app/feature.ts'
import { centralVariables } from './central.ts'

const edit = (file: string, change: (text: string) => string): void => {
  const before = readFileSync(file, 'utf8')
  const after = change(before)
  if (after === before) throw new Error(`${file} has no line of the feature`)
  writeFileSync(file, after)
}

/** Removes the import of a module, and the line of the imported name in a list. */
const removeFromList = (file: string, module: string): void =>
  edit(file, (text) => {
    const line = text.split('\n').find((each) => each.endsWith(`from '${module}'`))
    const name = line && /^import \{ (\w+) \}/.exec(line)?.[1]
    if (!name) throw new Error(`${file} does not import ${module}`)
    return text.replace(`${line}\n`, '').replace(`\n  ${name},\n`, '\n')
  })

/** Removes a property with two spaces in front, which may have several lines. */
const removeProperty = (file: string, name: string): void =>
  edit(file, (text) => text.replace(new RegExp(`^  ${name}:[^]*?\\n(?=  [\\w/]|\\})`, 'm'), ''))

const removeLines = (file: string, part: string): void =>
  edit(file, (text) =>
    text
      .split('\n')
      .filter((line) => !line.includes(part))
      .join('\n'),
  )

const listSources = (root: string): string[] =>
  globSync('{app,plugins,routes,schemas}/**/*.{ts,sql,json}', { cwd: root }).map((path) => join(root, path))

/** Throws if the removed variables are still named in code: these lines must move to the feature. */
const requireNoLeftovers = (root: string, variables: readonly string[]): void => {
  const left = listSources(root).filter((path) => {
    const text = readFileSync(path, 'utf8')
    return variables.some((name) => text.includes(name))
  })
  if (left.length > 0) throw new Error(`${variables.join(', ')} are still named in ${left.join(', ')}`)
}

/** Removes a feature's places, guides, and lines in lists, documents and the table of variables, in the copy at `root`. */
export const removeFeature = (root: string, { name, guides = [] }: Feature): void => {
  const at = (path: string) => join(root, path)
  const hasRoutes = existsSync(at(`routes/${name}.ts`))
  for (const path of [
    `app/features/${name}`,
    `routes/${name}.ts`,
    `schemas/${name}.ts`,
    `test/features/${name}`,
    ...guides.map((guide) => `docs/${guide.name}.md`),
  ])
    rmSync(at(path), { recursive: true, force: true })
  removeFromList(at('app/features.ts'), `./features/${name}/feature.ts`)
  if (hasRoutes) removeFromList(at('routes/index.ts'), `./${name}.ts`)
  removeLines(at('ARCHITECTURE.md'), `| \`${name}\` |`)
  const variables = centralVariables[name] ?? []
  const config = at('app/config/config.ts')
  for (const variable of variables) {
    removeProperty(at('app/config/variables.ts'), variable)
    // Some variables are only read by a command, from its shell.
    if (readFileSync(config, 'utf8').includes(`env.${variable}`)) removeLines(config, `env.${variable}`)
  }
  requireNoLeftovers(root, variables)
}
