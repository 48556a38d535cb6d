import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'

/** Returns the configured port. For 0, finds one that is free now, or rejects if the machine lacks the address. */
export const findPort = ({ host, port }: Pick<Config, 'host' | 'port'>): Promise<number> =>
  new Promise((resolve, reject) => {
    if (port !== 0) return resolve(port)
    const probe = createServer().once('error', reject)
    probe.listen(0, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
