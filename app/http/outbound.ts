import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { isIP, isIPv6, type LookupFunction } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createAddressRanges } from './client-address.ts'

const isReservedV4 = createAddressRanges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's own services for a virtual machine.
  '168.63.129.16',
])
/** The only block that IANA has assigned for global unicast. */
const isGlobalV6 = createAddressRanges(['2000::/3'])
/** Teredo, ORCHID, benchmarks; documentation; 6to4, which embeds IPv4; AS112; documentation. */
const isReservedV6 = createAddressRanges([
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])

/** Whether an address is public (IANA's registries of special-purpose addresses). */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0 || address.includes('%')) return false
  return isIPv6(address) ? isGlobalV6(address) && !isReservedV6(address) : !isReservedV4(address)
}

export class OutboundError extends Error {}

const longestUrl = 2_000

/**
 * Parses a URL that a customer chose. Throws OutboundError if it is not https on port 443, has a user name, a
 * fragment, a private IP address or over 2,000 characters. Host names are not resolved here.
 * See docs/decisions/0097-one-guard-for-requests-to-customers.md.
 */
export const parseTarget = (text: string): URL => {
  const url = text.length <= longestUrl ? URL.parse(text) : null
  if (url?.protocol !== 'https:') throw new OutboundError('expected an https address')
  if (url.port !== '') throw new OutboundError('expected port 443')
  if (url.username !== '' || url.password !== '') throw new OutboundError('expected no user name')
  if (text.includes('#')) throw new OutboundError('expected no fragment')
  const host = getHost(url)
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new OutboundError('the address is private')
  return url
}

const getHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Returns an empty list if the name has no address or no name server responds. */
type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

/** Queries name servers itself: the system's resolver holds a thread for each look-up and cannot be cancelled. */
export const createResolve =
  (servers?: readonly string[]): Resolve =>
  async (host, signal) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    signal.addEventListener('abort', () => resolver.cancel())
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }

const findAddresses = async (url: URL, resolve: Resolve, signal: AbortSignal): Promise<LookupAddress[]> => {
  const host = getHost(url)
  const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host]
  if (addresses.length === 0) throw new OutboundError('the name has no address')
  if (!addresses.every(isPublicAddress)) throw new OutboundError('the name resolves to a private address')
  return addresses.map((address) => ({ address, family: isIP(address) }))
}

/** Connects to the checked addresses: Node must not resolve the name again. */
const pin =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses
    if (all) done(null, addresses)
    else done(null, first?.address ?? '', first?.family)
  }

const tooLong = (maxBytes: number) => new OutboundError(`the answer has more than ${maxBytes} bytes`)

const readBody = async (answer: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const body = await buffer(answer)
  if (body.length > maxBytes) throw tooLong(maxBytes)
  return body
}

const overheadBytes = 65_536

/** Rejects after too many bytes: interim responses, empty lines, chunk sizes and TLS tickets have no other limit. */
const watchBytes = (sent: ClientRequest, maxBytes: number): Promise<never> =>
  new Promise((_, reject) => {
    let bytes = 0
    const count = (part: Buffer) => {
      bytes += part.length
      if (bytes > maxBytes + overheadBytes) reject(tooLong(maxBytes))
    }
    sent.once('socket', (socket) => socket.on('data', count).on('session', count))
  })

type OutboundRequest = Readonly<{
  headers: Readonly<Record<string, string>>
  body: Buffer
  maxBytes: number
  /** For everything, from the name resolution to the end of the response. */
  timeoutMs: number
}>

export type OutboundAnswer = Readonly<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>

/**
 * Posts `body` to a URL that a customer chose. Rejects with OutboundError if an address is not allowed, the
 * response is a redirect or too large, or the time is over; otherwise with Node's errors.
 */
export type Outbound = (url: string, request: OutboundRequest) => Promise<OutboundAnswer>

/** `agent` must not reuse connections: their addresses would not be checked again. */
export type OutboundOptions = { resolve?: Resolve; agent?: Agent }

type Connecting = Readonly<{ url: URL; addresses: LookupAddress[]; agent: Agent; signal: AbortSignal }>

const send = async (
  { url, addresses, agent, signal }: Connecting,
  { headers, body, maxBytes }: OutboundRequest,
): Promise<OutboundAnswer> => {
  const host = getHost(url)
  const sent = request({
    agent,
    method: 'POST',
    host,
    port: 443,
    path: url.pathname + url.search,
    signal,
    lookup: pin(addresses),
    rejectUnauthorized: true,
    servername: isIP(host) === 0 ? host : '',
    headers: { ...headers, host: url.host, 'accept-encoding': 'identity' },
  })
  sent.on('error', () => {})
  const readAnswer = async (): Promise<OutboundAnswer> => {
    const [answer] = (await once(sent, 'response', { signal })) as [IncomingMessage]
    const status = answer.statusCode ?? 0
    if (status >= 300 && status < 400) throw new OutboundError('the answer is a redirect')
    return { status, headers: answer.headers, body: await readBody(answer, maxBytes) }
  }
  try {
    sent.end(body)
    return await Promise.race([readAnswer(), watchBytes(sent, maxBytes)])
  } finally {
    sent.destroy()
  }
}

export const createOutbound = ({
  resolve = createResolve(),
  agent = new Agent({ keepAlive: false, maxCachedSessions: 0 }),
}: OutboundOptions = {}): Outbound => {
  return async (text, options) => {
    const url = parseTarget(text)
    const signal = AbortSignal.timeout(options.timeoutMs)
    const isLate = once(signal, 'abort').then(() => {
      throw new OutboundError(`no answer within ${options.timeoutMs} ms`)
    })
    isLate.catch(() => {})
    const answer = findAddresses(url, resolve, signal).then((addresses) =>
      send({ url, addresses, agent, signal }, options),
    )
    return Promise.race([answer, isLate])
  }
}
