import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import t from 'tap'
import { createAddressKey } from '../../../app/identity/api-keys.ts'
import { sendBytes } from '../../api/sockets.ts'
import { until } from '../../helper.ts'
import { skipsNginx, startNginx } from '../../nginx.ts'
import { selfSigned } from '../../self-signed.ts'
import { freePort, makeDataFolder, startProgram } from '../../servers.ts'

const { text: key } = createAddressKey('calendar')
const secret = key.slice(-38, -6)
const escaped = `%63da%5fcalendar${key.slice('cda_calendar'.length)}`
/** Also addresses with typing errors. */
const paths = [
  `/v1/calendar/${key}.ics`,
  `/v1/calendar/${key}.ics?country_code=US`,
  `/V1/Calendar/${key.toUpperCase()}.ics`,
  `/v1//calendar/${key}.ics`,
  `/calendar/${key}`,
  `/v1/calendar/${escaped}.ics`,
  `/v1/%63alendar/${key}.ics`,
]
const checkLog = (test: Pick<typeof t, 'match' | 'notOk'>, log: string) => {
  test.notOk(log.toLowerCase().includes(secret.toLowerCase()), 'without the key')
  test.notOk(log.includes('country_code'), 'without the query')
  test.match(log, /GET \/v1\/calendar\/[^ ]*\*\*\*/)
  test.match(log, /GET \/v1\/products[ "]/, 'other paths stay')
}

t.test('deploy/nginx.conf logs no key of a calendar, not even in errors', { skip: skipsNginx }, async (t) => {
  const folder = makeDataFolder('calendar-nginx')
  const [accessLog, errorLog] = [join(folder, 'access.log'), join(folder, 'error.log')]
  // There is no instance, so each request is an error.
  const nginx = await startNginx(await freePort(), {
    ...selfSigned(t),
    accessLog,
    errorLog: `${errorLog} error`,
  })
  t.teardown(() => nginx.stop())
  const get = async (path: string) => {
    const sent = request({ host: '127.0.0.1', port: nginx.port, path, rejectUnauthorized: false }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    return answer.statusCode
  }
  t.equal(await get(paths[0] as string), 502)
  t.notOk(
    existsSync(errorLog) && readFileSync(errorLog, 'utf8').includes('calendar'),
    'an error without its address',
  )
  for (const path of paths) await get(path)
  await get('/v1/products')
  await until('all are logged', () => readFileSync(accessLog, 'utf8').includes('/v1/products'))
  checkLog(t, readFileSync(accessLog, 'utf8'))
  t.match(readFileSync(errorLog, 'utf8'), '/v1/products', 'other errors are logged')
})

const shipped = readFileSync(join(import.meta.dirname, '../../../deploy/haproxy.cfg'), 'utf8')
const getLine = (start: string) => shipped.split('\n').find((line) => line.trim().startsWith(start)) as string

t.test('deploy/haproxy.cfg logs no key of a calendar', async (t) => {
  const folder = makeDataFolder('calendar-haproxy')
  const port = await freePort()
  const socket = createSocket('udp4')
  t.teardown(() => socket.close())
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  let log = ''
  socket.on('message', (line) => {
    log += `${line}\n`
  })
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(
    file,
    [
      'defaults',
      '  mode http',
      `  log 127.0.0.1:${socket.address().port} format raw local0`,
      '  timeout connect 1s\n  timeout client 5s\n  timeout server 5s',
      getLine('log-format'),
      'frontend https',
      `  bind 127.0.0.1:${port}`,
      getLine('http-request set-var'),
      '',
    ].join('\n'),
  )
  const { stop } = await startProgram('/usr/sbin/haproxy', ['-db', '-f', file], {
    folder,
    signal: 'SIGTERM',
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined)) !== undefined,
  })
  t.teardown(stop)
  for (const path of [...paths, '/v1/products'])
    await sendBytes(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  await until('all are logged', () => log.includes('/v1/products'))
  checkLog(t, log)
})
