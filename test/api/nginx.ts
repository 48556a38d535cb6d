import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../servers.ts'

/** `proxy_pass` with nginx's defaults, which speak HTTP/1.0 to the service. */
const configuration = (port: number, service: number) => `
daemon off;
worker_processes 1;
error_log stderr;
pid nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://127.0.0.1:${service}; }
  }
}
`

/**
 * Starts Debian's nginx in front of a service on this machine. Returns undefined if nginx is not installed.
 * @throws if REQUIRE_REDIS=1 and it is not installed, or if it does not start
 */
export const startNginx = async (service: number) => {
  if (spawnSync('nginx', ['-v']).error) {
    if (process.env.REQUIRE_REDIS === '1') throw new Error('REQUIRE_REDIS=1, but there is no nginx')
    return undefined
  }
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'certdata-nginx-'))
  writeFileSync(join(folder, 'nginx.conf'), configuration(port, service))
  const child = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], { stdio: 'ignore' })
  const stop = async () => {
    // Its worker ends with it.
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 500 && child.exitCode === null; tries += 1) {
    if (await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined)) return { port, stop }
    await delay(20)
  }
  await stop()
  throw new Error('nginx does not start')
}
