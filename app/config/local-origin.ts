import type { Config } from './config.ts'

/** Returns the origin under which a client on this machine reaches the service. */
export const localOrigin = ({ host, tls }: Pick<Config, 'host' | 'tls'>, port: number): string => {
  const isLocal = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)
  const name = isLocal ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `${tls ? 'https' : 'http'}://${name}:${port}`
}
