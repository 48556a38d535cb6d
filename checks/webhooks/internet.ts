import { Resolver } from 'node:dns/promises'
import { type LookupFunction, Socket } from 'node:net'

/**
 * Loaded into an instance before its code. Every name resolves to a public address, and connections to it
 * reach the receivers of the check, on the port in HOOKS_PORT. The guard of the service is unchanged. A
 * connection to any other address on port 443 fails. SIGUSR2 moves the process's clock forwards by an hour.
 */

export const publicAddress = '93.184.215.14'

Resolver.prototype.resolve4 = (async () => [publicAddress]) as unknown as Resolver['resolve4']
Resolver.prototype.resolve6 = async () => []

type Options = { port?: number; lookup?: LookupFunction; host?: string }
const { connect } = Socket.prototype as unknown as {
  connect: (this: Socket, ...args: unknown[]) => Socket
}

const redirect = (socket: Socket, options: Options): Options => {
  options.lookup?.(options.host ?? '', { all: true }, (_error, found) => {
    const isPinned = Array.isArray(found) && found.every(({ address }) => address === publicAddress)
    if (!isPinned) socket.destroy(new Error('not the address that was checked'))
  })
  const { lookup: _, ...rest } = options
  return { ...rest, host: '127.0.0.1', port: Number(process.env.HOOKS_PORT) }
}

Object.assign(Socket.prototype, {
  connect(this: Socket, ...args: unknown[]) {
    const options = args[0] as Options
    const isOutward = typeof options === 'object' && options.port === 443
    return isOutward
      ? connect.call(this, redirect(this, options), ...args.slice(1))
      : connect.call(this, ...args)
  },
})

const { now } = Date
let stepMs = 0
Date.now = () => now() + stepMs
process.on('SIGUSR2', () => {
  stepMs += 3_600_000
})
