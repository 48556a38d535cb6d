import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const stepLimitMs = 600_000

/** Runs a program in a folder. Rejects with its output if it fails or runs longer than ten minutes. */
export const runProgram = async (program: string, options: readonly string[], cwd: string): Promise<void> => {
  const settings = { cwd, timeout: stepLimitMs, maxBuffer: 2 ** 26 }
  await promisify(execFile)(program, options, settings).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${program} ${options.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? ''}`, {
        cause: error,
      })
    },
  )
}

const isInstalled = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((place) => existsSync(join(place, program)))

/** Runs a step and prints its outcome. Returns false if it failed. Skips it if a needed program is missing. */
export const runStep = async (
  name: string,
  needs: readonly string[],
  act: () => Promise<unknown>,
): Promise<boolean> => {
  const missing = needs.filter((program) => !isInstalled(program))
  if (missing.length > 0) {
    console.log(`${name}: skipped, because ${missing.join(' and ')} cannot be found`)
    return true
  }
  const startedAt = Date.now()
  const outcome = await act().then(
    () => 'ok',
    (error: Error) => `FAILED\n${error.message.slice(-4_000)}`,
  )
  console.log(`${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s): ${outcome}`)
  return outcome === 'ok'
}
