import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startProgram } from './servers.ts'

export type HaproxyOptions = {
  /** Ports. */
  instances: readonly number[]
  /** Of failed connections to an instance. */
  retries: number
}

export type Haproxy = {
  port: number
  /** Number of instances that pass the health check. */
  countUp(): Promise<number>
  stop(): Promise<void>
}

/** Like `deploy/haproxy.cfg`, with more frequent health checks. */
const configuration = (port: number, { instances, retries }: HaproxyOptions) => `
global
  maxconn 4000
defaults
  mode http
  retries ${retries}
  timeout connect 1s
  timeout client 40s
  timeout server 40s
  timeout queue 5s
  timeout http-keep-alive 60s
frontend in
  bind 127.0.0.1:${port}
  stats enable
  stats uri /haproxy
  default_backend api
backend api
  balance roundrobin
  option httpchk GET /health/ready
  http-check expect status 200
  timeout check 2s
  default-server check inter 200ms fall 2 rise 1
${instances.map((instance, index) => `  server s${index} 127.0.0.1:${instance}`).join('\n')}
`

export const startHaproxy = async (options: HaproxyOptions): Promise<Haproxy> => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'certdata-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(port, options))
  const { stop } = await startProgram('haproxy', ['-db', '-q', '-f', file], {
    folder,
    signal: 'SIGKILL',
    isReady: async () => Boolean(await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined)),
  })
  const countUp = async () => {
    const table = await (await fetch(`http://127.0.0.1:${port}/haproxy;csv`)).text()
    return table.split('\n').filter((line) => /^api,s\d+,.*,UP,/.test(line)).length
  }
  return { port, countUp, stop }
}
