import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const manifest = join(import.meta.dirname, '../../package.json')

/** Node's flags and variables from `npm start`. Latency and memory depend on them. */
export const asStarted = (): { flags: string[]; variables: Record<string, string> } => {
  const { scripts } = JSON.parse(readFileSync(manifest, 'utf8'))
  const [before, after] = (scripts.start as string).split('exec node')
  const variables = [...(before ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])
  return { flags: (after ?? '').match(/--\S+/g) ?? [], variables: Object.fromEntries(variables) }
}
