import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

/** A received message. `atMs`: from `performance.now()`. */
export type Arrival = { id: string; after: string; atMs: number; accepted: boolean }

/** Answers a request after its body was read. Returns whether it accepted the message. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => boolean

export type Receiver = { arrivals: Arrival[]; answer: Answer }

export const take: Answer = (response) => {
  response.writeHead(204).end()
  return true
}

const domain = 'hooks.example'

export const getUrl = (name: string): string => `https://${name}.${domain}/hook`

const makeCertificate = (folder: string) => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['-subj', `/CN=${domain}`, '-addext', `subjectAltName=DNS:*.${domain}`]
  const kind = ['-nodes', '-days', '2', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { key, cert }
}

/** Starts one server for all receivers, distinguished by host name. `ca`: the file of its certificate. */
export const startReceivers = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-webhooks-'))
  const files = makeCertificate(folder)
  const receivers = new Map<string, Receiver>()
  const server = createServer(
    { key: readFileSync(files.key), cert: readFileSync(files.cert) },
    async (request, response) => {
      try {
        const body = (await request.setEncoding('utf8').toArray()).join('')
        const receiver = receivers.get((request.headers.host ?? '').split('.')[0] ?? '')
        if (!receiver) return void response.writeHead(404).end()
        const arrival = {
          id: String(request.headers['webhook-id']),
          after: (JSON.parse(body) as { data: { after: string } }).data.after,
          atMs: performance.now(),
          accepted: false,
        }
        receiver.arrivals.push(arrival)
        arrival.accepted = receiver.answer(response, request)
      } catch {
        // The sender has disconnected.
      }
    },
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    ca: files.cert,
    open(name: string): Receiver {
      const receiver: Receiver = { arrivals: [], answer: take }
      receivers.set(name, receiver)
      return receiver
    },
    close() {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
