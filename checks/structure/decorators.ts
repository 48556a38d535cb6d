import type { SourceFile } from './graph.ts'

type Source = Pick<SourceFile, 'text'>

/** A Fastify plugin with a name, by its text. */
type Plugin = Readonly<{
  name: string
  dependencies: readonly string[]
  decorates: readonly string[]
  /** Members of the application, the request and the reply. */
  uses: readonly string[]
}>

const matchAll = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, group = '']) => group)
const destructured = [
  /\{([^{}]*)\} = (?:app|request|reply|this)\b/g,
  /addHook\(\s*'\w+',\s*(?:async )?\(\{([^{}]*)\}/g,
  /\{([^{}]*)\}: Fastify(?:Instance|Request|Reply)\b/g,
]

const readPlugin = ({ text }: Source): Plugin | undefined => {
  const [options = ''] = /\{\s*name: '[\w-]+',[^{}]*fastify: '5\.x',?\s*\}/.exec(text) ?? []
  const [name] = matchAll(options, /name: '([\w-]+)'/g)
  if (name === undefined) return undefined
  const members = destructured
    .flatMap((pattern) => matchAll(text, pattern))
    .flatMap((list) => list.split(','))
  return {
    name,
    dependencies: matchAll(options.replace(/^.*dependencies:/s, ''), /'([\w-]+)'/g),
    decorates: matchAll(text, /\bdecorate(?:Request|Reply)?\(\s*'(\w+)'/g),
    uses: [
      // A member with `?.` may be missing.
      ...matchAll(text, /\b(?:app|scope|server|request|reply|this)\.(\w+)\b(?!\?)/g),
      ...members.map((member) => member.trim().split(/\W/)[0] ?? ''),
    ],
  }
}

/** Returns the plugins among the sources, and lines `plugin → other: decorator` for undeclared dependencies. */
export const findUndeclared = (sources: readonly Source[]) => {
  const plugins = sources.flatMap((source) => readPlugin(source) ?? [])
  const owners = new Map(plugins.flatMap(({ name, decorates }) => decorates.map((each) => [each, name])))
  const undeclared = plugins.flatMap(({ name, dependencies, uses }) =>
    [...new Set(uses)].flatMap((member) => {
      const owner = owners.get(member)
      const isDeclared = owner === undefined || owner === name || dependencies.includes(owner)
      return isDeclared ? [] : [`${name} → ${owner}: ${member}`]
    }),
  )
  return { plugins: plugins.map(({ name }) => name), undeclared }
}
