import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import http2, { type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2'
import { connect, isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'

/** Header names are in lower case. Of repeated fields, only the last is kept. */
export type RawAnswer = { status: number; headers: Record<string, string>; body: string }

/** Ignores bytes that are no HTTP answer. */
const parseAnswers = (bytes: Buffer): RawAnswer[] => {
  const answers: RawAnswer[] = []
  let rest = bytes.toString('latin1')
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) break
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(':')
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
      }),
    )
    const length = Number(headers['content-length'] ?? 0)
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString()
    answers.push({ status: Number(line.slice(9, 12)), headers, body })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

/** Resolves with the answers when the server closes the connection, so send `Connection: close`. `secure`: TLS. */
export const sendBytes = (port: number, bytes: string | Buffer, secure = false): Promise<RawAnswer[]> =>
  new Promise((resolve, reject) => {
    const socket = secure
      ? tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
      : connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    // The server may refuse and close before all bytes are sent.
    socket.on('error', () => {})
    socket.on('close', () => resolve(parseAnswers(Buffer.concat(chunks))))
    socket.setTimeout(10_000, () => {
      socket.destroy()
      reject(new Error(`no answer to ${bytes.toString('latin1').slice(0, 200)}`))
    })
    socket.write(bytes)
  })

/** Paths of a self-signed certificate and its key, P-256 or RSA with 2,048 bits. */
export const makeCertificate = (
  algorithm: 'ec' | 'rsa' = 'ec',
  names: readonly [string, ...string[]] = ['localhost', '127.0.0.1'],
) => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const alternatives = names.map((name) => `${isIP(name) ? 'IP' : 'DNS'}:${name}`)
  const subject = ['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${alternatives}`]
  const key256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const kind = [...(algorithm === 'ec' ? key256 : ['-newkey', 'rsa:2048']), '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  })
  return { key, cert, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export type Http2Answer = { headers: IncomingHttpHeaders; status: number; body: string }

/** An HTTP/2 connection; `ask` sends one request and gives its answer. */
export const openHttp2 = (port: number) => {
  const session: ClientHttp2Session = http2.connect(`https://127.0.0.1:${port}`, {
    rejectUnauthorized: false,
  })
  session.on('error', () => {})
  const ask = (headers: Record<string, string>) =>
    new Promise<Http2Answer>((resolve, reject) => {
      const stream = session.request(headers)
      let answered: IncomingHttpHeaders & { ':status'?: number | undefined } = {}
      let body = ''
      stream.on('response', (each) => {
        answered = each
      })
      stream.on('data', (chunk) => {
        body += chunk
      })
      stream.on('error', reject)
      stream.on('end', () => resolve({ headers: answered, status: answered[':status'] ?? 0, body }))
      stream.end()
    })
  return { ask, close: () => session.close() }
}
