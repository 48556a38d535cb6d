#!/usr/bin/env node
import { userInfo } from 'node:os'
import { runCommandLine } from './command-line/command-line.ts'
import type { Shell } from './command-line/shell.ts'
import { features } from './features.ts'

// As shells report them: 128 + the signal's number.
const signals = { SIGINT: 130, SIGTERM: 143 } as const

const onSignal: Shell['onSignal'] = (release) => {
  const forget = Object.entries(signals).map(([signal, exitCode]) => {
    const stop = () => void release().finally(() => process.exit(exitCode))
    process.once(signal, stop)
    return () => process.removeListener(signal, stop)
  })
  return () => {
    for (const each of forget) each()
  }
}

const findUser = (): string | undefined => {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

const shell: Shell = {
  env: process.env,
  user: findUser(),
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
  onSignal,
}

// EPIPE: the reader of the output stopped early, as in `certdata customers list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await runCommandLine(process.argv.slice(2), shell, features)
