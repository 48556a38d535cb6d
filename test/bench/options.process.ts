import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

const folder = join(import.meta.dirname, '../../bench')
const benches = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .filter((file) => readFileSync(join(folder, file), 'utf8').includes('readOptions('))
const run = (file: string, word: string) =>
  promisify(execFile)(process.execPath, [join(folder, file), word]).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )

t.test('each bench lists its options for --help, and after an unknown one', async (t) => {
  t.ok(benches.length >= 8)
  for (const file of benches) {
    const name = file === 'run.ts' ? 'bench' : `bench:${file.slice(0, -'.ts'.length)}`
    const usage = new RegExp(`^npm run ${name} -- \\[--`, 'm')
    t.match(await run(file, '--help'), { code: 0, stdout: usage, stderr: /^$/ }, name)
    const unknown = await run(file, '--unheard')
    t.match(unknown, { code: 2, stderr: usage }, name)
    t.match(unknown.stderr, "Unknown option '--unheard'")
  }
})
