import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Node's flags and variables from `npm start` of a checkout. Latency and memory depend on them. */
export const asStarted = (checkout = root): { flags: string[]; variables: Record<string, string> } => {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  const [before, after] = (scripts.start as string).split('exec node')
  const variables = [...(before ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])
  return { flags: (after ?? '').match(/--\S+/g) ?? [], variables: Object.fromEntries(variables) }
}
