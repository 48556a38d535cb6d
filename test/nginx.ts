import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort, makeDataFolder, startProgram } from './servers.ts'

const program = '/usr/sbin/nginx'

export type Nginx = { port: number; stop(): Promise<void> }

/** The reason to skip. REQUIRE_REDIS=1 forbids skipping. */
export const skipsNginx: string | false =
  existsSync(program) || process.env.REQUIRE_REDIS === '1' ? false : 'there is no nginx'

const defaults = (port: number, instance: number) => `
events {}
http {
  access_log off;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://127.0.0.1:${instance}; }
  }
}
`

type Files = { cert: string; key: string; accessLog?: string; errorLog?: string }

/** `deploy/nginx.conf` with the ports, addresses and certificate of a test. */
const shipped = (port: number, instance: number, files: Files): string => {
  const replacements: [string, string][] = [
    [
      'access_log /dev/stdout plain;',
      files.accessLog ? `access_log ${files.accessLog} plain;` : 'access_log off;',
    ],
    ['server certdata-1:3000;', `server 127.0.0.1:${instance};`],
    ['    server certdata-2:3000;\n', ''],
    ['listen 8443 ', `listen 127.0.0.1:${port} `],
    ['ssl_certificate /certificates/localhost.pem', `ssl_certificate ${files.cert}`],
    ['ssl_certificate_key /certificates/localhost.pem', `ssl_certificate_key ${files.key}`],
  ]
  const text = readFileSync(join(import.meta.dirname, '../deploy/nginx.conf'), 'utf8')
  return replacements.reduce((configuration, [from, to]) => {
    if (!configuration.includes(from)) throw new Error(`deploy/nginx.conf does not contain: ${from}`)
    return configuration.replace(from, to)
  }, text)
}

/** By default nginx writes its files to folders of the system. */
const withOwnFiles = (configuration: string, errorLog = 'stderr crit'): string => {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${kind};`)
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `daemon off; pid pid; error_log ${errorLog}; ${user}\n${configuration.replace('http {', `http {\n${paths.join(' ')}`)}`
}

const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** With the defaults of nginx, or with the shipped configuration if `tls` is given. `errorLog`: file and level. */
export const startNginx = async (instance: number, tls?: Files): Promise<Nginx> => {
  const port = await freePort()
  const folder = makeDataFolder('nginx')
  const file = join(folder, 'nginx.conf')
  const configuration = tls ? shipped(port, instance, tls) : defaults(port, instance)
  writeFileSync(file, withOwnFiles(configuration, tls?.errorLog))
  // SIGKILL would leave its workers behind.
  const { stop } = await startProgram(program, ['-p', folder, '-c', file, '-e', 'stderr'], {
    folder,
    signal: 'SIGTERM',
    isReady: () => isListening(port),
  })
  return { port, stop }
}
