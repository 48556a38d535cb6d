import { execFile } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildTarball } from './tarball.ts'

const root = join(import.meta.dirname, '../..')

type Place = { cwd: string; env?: Readonly<Record<string, string>> }

/** Runs a program without the NODE_OPTIONS that a test runner sets. */
const runBare = (command: readonly string[], { cwd, env = {} }: Place) => {
  const path = `${join(process.execPath, '..')}:${process.env.PATH}`
  const settings = { cwd, env: { ...process.env, ...env, PATH: path }, maxBuffer: 2 ** 26 }
  return promisify(execFile)('env', ['-u', 'NODE_OPTIONS', ...command], settings)
}

/** Installs the package that the service sends in this existing folder. */
export const installClient = async (folder: string): Promise<void> => {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const { file, content } = buildTarball()
  writeFileSync(join(folder, file), content)
  await runBare(['npm', 'install', '--offline', '--no-audit', '--no-fund', `./${file}`], { cwd: folder })
}

export type SuiteOutcome = { passed: number; failed: number; output: string }

/** Runs the installed client's suite on this Node. `folder` is the folder given to `installClient`. */
export const runClientSuite = async (
  node: string,
  folder: string,
  service: { url: string; apiKey: string },
  { files = ['vectors', 'service'], vectors = join(root, 'clients/vectors') } = {},
): Promise<SuiteOutcome> => {
  cpSync(join(root, 'clients/typescript/test'), join(folder, 'test'), { recursive: true })
  const env = {
    CERTDATA_URL: service.url,
    CERTDATA_API_KEY: service.apiKey,
    CERTDATA_VECTORS: vectors,
  }
  const suite = files.map((name) => join(folder, `test/${name}.test.js`))
  // Keep-alive connections would delay the exit by a minute.
  const command = [node, '--test', '--test-force-exit', '--test-reporter=tap', ...suite]
  const output = await runBare(command, { cwd: folder, env }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
  const count = (word: string) =>
    Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(output)?.[1] ?? Number.NaN)
  return { passed: count('pass'), failed: count('fail') + count('cancelled') + count('skipped'), output }
}
