import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/helper.ts'
import { freePort } from '../../test/servers.ts'

export type Haproxy = { port: number; close(): Promise<void> }

const deployed = join(import.meta.dirname, '../../deploy/haproxy.cfg')

/** Returns the deployed configuration for instances on this machine: only addresses change, and TLS is off. */
export const configure = (text: string, port: number, instances: readonly number[]): string => {
  const replacements: [RegExp, string][] = [
    [/bind :8443 .*$/m, `bind 127.0.0.1:${port}`],
    [/ resolvers dns init-addr \S+/g, ''],
    [/^resolvers dns\n(?: .*\n?)*/m, ''],
    [/certdata-1:3000/g, `127.0.0.1:${instances[0]}`],
    [/certdata-2:3000/g, `127.0.0.1:${instances[1]}`],
  ]
  return replacements.reduce((current, [form, by]) => {
    if (current.search(form) === -1) throw new Error(`deploy/haproxy.cfg has no ${form}`)
    return current.replace(form, by)
  }, text)
}

/** Starts haproxy as deployed, in front of two instances. Resolves when it forwards requests to them. */
export const startDeployedHaproxy = async (instances: readonly number[]): Promise<Haproxy> => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'certdata-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configure(readFileSync(deployed, 'utf8'), port, instances))
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const close = async () => {
    process.removeListener('exit', kill)
    if (child.exitCode === null && child.signalCode === null && kill()) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  const isReady = async () => {
    if (child.exitCode !== null)
      throw new Error(`haproxy does not start: ${said.replace(/^.*NOTICE.*\n/gm, '').trim()}`)
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
    return answer?.status === 200
  }
  try {
    await until('haproxy finds an instance ready', isReady)
  } catch (error) {
    await close()
    throw error
  }
  return { port, close }
}
