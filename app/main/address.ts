import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'

/** Returns the configured port, or a free one for 0. Rejects if the machine does not have the address. */
export const findPort = ({ host, port }: Pick<Config, 'host' | 'port'>): Promise<number> =>
  new Promise((resolve, reject) => {
    if (port !== 0) return resolve(port)
    const probe = createServer().once('error', reject)
    probe.listen(0, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

/** The origin at which clients on this machine reach the service. */
export const localOrigin = ({ host, tls }: Pick<Config, 'host' | 'tls'>, port: number): string => {
  const wildcard = host === '0.0.0.0' || host === '::' || host === '127.0.0.1' || host === '::1'
  return `${tls ? 'https' : 'http'}://${wildcard ? 'localhost' : host}:${port}`
}
