import { parseArgs } from 'node:util'
import { checkGoodput } from './goodput.ts'
import { conclude, say } from './judge.ts'

// See checks/README.md.

const { values, positionals } = parseArgs({ allowPositionals: true, options: { before: { type: 'string' } } })

const parts = {
  logins: () => checkGoodput('logins'),
  readers: () => checkGoodput('readers'),
  // Last, because it moves this process to one core.
  queue: () => import('./queue.ts'),
} as const

const isPart = (name: string): name is keyof typeof parts => name in parts
const chosen = positionals.length > 0 ? positionals : Object.keys(parts)

for (const name of chosen) {
  if (!isPart(name)) throw new Error(`expected ${Object.keys(parts).join(', ')}: ${name}`)
  if (values.before !== undefined && name !== 'queue') {
    say(`\n${name}, before (not judged by the exit code):`)
    await checkGoodput(name, values.before)
  }
  say(`\n${name}:`)
  await parts[name]()
}
conclude()
