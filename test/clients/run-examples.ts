import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const stepLimitMs = 120_000

/** Creates the reader's working folder, with the command line on the PATH. */
export const createFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-guides-'))
  mkdirSync(join(folder, 'bin'))
  const npx = `#!/bin/sh\n[ "$1 $2" = "--no certdata" ] && shift 2 && exec '${process.execPath}' '${join(root, 'app/cli.ts')}' "$@"\n`
  writeFileSync(join(folder, 'bin/npx'), npx, { mode: 0o755 })
  // A refused request fails the example, unless its output shows a refusal.
  for (const [name, options] of [
    ['strict', 'silent\nshow-error\nfail-with-body\n'],
    ['refused', 'silent\n'],
  ] as const) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, '.curlrc'), options)
  }
  symlinkSync(join(root, 'examples'), join(folder, 'examples'))
  const records = readFileSync(join(root, 'examples/records.ndjson'), 'utf8')
  writeFileSync(join(folder, 'records.ndjson'), records.replaceAll(/^\{/gm, '{"customer":"acme",'))
  return folder
}

/** Replaces the placeholders of a guide. */
export const fill = (text: string, values: readonly (readonly [string, string])[]) =>
  values.reduce((filled, [name, value]) => filled.replaceAll(name, value), text)

/** Expects exit code 1 of commands with the comment "(exit 1)", and of commands that ask on a terminal. */
export const expectRefusals = (code: string) =>
  code.replaceAll(/^(.*?\S) +#.*(?:\(exit 1\)$|\basks\b.*)/gm, '$1 || test $? = 1')

/** Writes the CSV file that an example imports, with the headings of its `--map`, if any. */
export const writeTable = (code: string, folder: string) => {
  const headings = [...code.matchAll(/--map "([^=]+)=/g)].map(([, heading]) => heading)
  const header = headings.length > 0 ? headings : ['id', 'name', 'part_numbers', 'model', 'tags']
  writeFileSync(
    join(folder, 'products.csv'),
    `${header.join(',')}\r\nP-100,Acme Gateway 100,4711;0815,TH940,x\r\n`,
  )
}

export type Outcome = { status: number; output: string }

/** Runs a command in the folder of `createFolder`. */
export const run = async (
  command: readonly string[],
  folder: string,
  env: Record<string, string>,
): Promise<Outcome> => {
  const [program = '', ...options] = command
  const settings = {
    cwd: folder,
    env: { ...env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    timeout: stepLimitMs,
  }
  return promisify(execFile)(program, options, settings).then(
    ({ stdout, stderr }) => ({ status: 0, output: stdout || stderr }),
    ({ code, stdout, stderr }) => ({ status: Number(code ?? 1), output: `${stdout}${stderr}` }),
  )
}
