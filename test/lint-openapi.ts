import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'

const root = join(import.meta.dirname, '..')

/** Returns the rules of `.spectral.yaml` that the document breaks. */
export const lintOpenApi = async (t: Test, text: string): Promise<string[]> => {
  const file = join(t.testdir({ 'openapi.json': text }), 'openapi.json')
  const cli = join(root, 'node_modules/@stoplight/spectral-cli/dist/index.js')
  const options = ['-r', join(root, '.spectral.yaml'), '-f', 'json', '-q', '--fail-severity', 'hint']
  const run = promisify(execFile)(process.execPath, [cli, 'lint', ...options, file], { maxBuffer: 2 ** 26 })
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error)
  if (stdout === '') throw new Error(stderr)
  const found = JSON.parse(stdout) as { code: string; path: string[]; message: string }[]
  return found.map(({ code, path, message }) => `${code} at ${path.join('/')}: ${message}`)
}
