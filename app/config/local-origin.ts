import type { Config } from './config.ts'

/** The origin for clients on this machine. */
export const localOrigin = ({ host, tls }: Pick<Config, 'host' | 'tls'>, port: number): string => {
  const wildcard = host === '0.0.0.0' || host === '::' || host === '127.0.0.1' || host === '::1'
  return `${tls ? 'https' : 'http'}://${wildcard ? 'localhost' : host}:${port}`
}
