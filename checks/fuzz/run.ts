import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { fileKind } from './file-kind.ts'
import { fuzz } from './fuzz.ts'
import { syncToken } from './sync-token.ts'
import { targets as kernelTargets } from './targets.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string' },
    input: { type: 'string' },
  },
})
const seed = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 31))
const seconds = Number(values.seconds)
const app = pathToFileURL(join(import.meta.dirname, '../../app/')).href

const targets = [...kernelTargets, fileKind, syncToken]
const chosen = targets.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
if (chosen.length === 0) {
  console.error(`Unknown target. Expected: ${targets.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

if (values.input !== undefined) {
  for (const { check } of chosen) check(Buffer.from(values.input, 'base64'))
} else {
  console.log(`seed ${seed}, ${seconds} s for each target`)
  for (const target of chosen) {
    const endsAt = performance.now() + seconds * 1000
    const { inputs, kept, blocks, finding } = fuzz(target, {
      seed,
      isDue: () => performance.now() < endsAt,
      isMeasured: (url) => url.startsWith(app),
    })
    console.log(`${finding ? 'RED' : 'ok '} ${target.name}: ${inputs} inputs, ${kept} kept, ${blocks} blocks`)
    if (!finding) continue
    process.exitCode = 1
    console.log(`  ${finding.error instanceof Error ? finding.error.stack : finding.error}`)
    console.log(`  input: ${JSON.stringify(finding.input.toString('latin1'))}`)
    console.log(`  again: npm run check:fuzz -- ${target.name} --input=${finding.input.toString('base64')}`)
  }
}
