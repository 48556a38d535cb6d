import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Feature } from '../../app/feature.ts'

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
  edit(file, (text) => text.replace(new RegExp(`^  ${name}:[^]*?\\n(?=  \\S|\\})`, 'm'), ''))

const removeLines = (file: string, part: string): void =>
  edit(file, (text) =>
    text
      .split('\n')
      .filter((line) => !line.includes(part))
      .join('\n'),
  )

/** Removes the four places of a feature and its lines in the lists and central tables, in the copy at `root`. */
export const removeFeature = (root: string, { name, central = {} }: Feature): void => {
  const at = (path: string) => join(root, path)
  for (const path of [
    `app/features/${name}`,
    `routes/${name}.ts`,
    `schemas/${name}.ts`,
    `test/features/${name}`,
  ])
    rmSync(at(path), { recursive: true, force: true })
  removeFromList(at('app/features.ts'), `./features/${name}/feature.ts`)
  removeFromList(at('routes/index.ts'), `./${name}.ts`)
  for (const variable of central.variables ?? []) {
    removeProperty(at('app/config/variables.ts'), variable)
    removeLines(at('app/config/config.ts'), `env.${variable}`)
  }
  for (const code of central.errors ?? []) removeProperty(at('app/errors.ts'), code)
  for (const scope of central.scopes ?? []) removeLines(at('app/identity/scopes.ts'), `'${scope}'`)
  if (existsSync(at(`app/features/${name}`))) throw new Error(`${name} is still there`)
}
