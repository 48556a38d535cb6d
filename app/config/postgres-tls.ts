import { accessSync, constants } from 'node:fs'

/** libpq's variables of TLS. The driver reads only `PGSSLMODE`, and only if the URL has no mode. */
export type TlsEnvironment = Readonly<
  Partial<Record<'PGSSLMODE' | 'PGSSLROOTCERT' | 'PGSSLCERT' | 'PGSSLKEY', string | undefined>>
>

const files = [
  ['sslrootcert', 'PGSSLROOTCERT'],
  ['sslcert', 'PGSSLCERT'],
  ['sslkey', 'PGSSLKEY'],
] as const

const verifying = ['prefer', 'require', 'verify-ca', 'verify-full']
const modes = ['disable', 'no-verify', ...verifying]

const splitQuery = (url: string): [string, string] => {
  const at = url.indexOf('?')
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}
const readQuery = (url: string) => new URLSearchParams(splitQuery(url)[1])

/**
 * Makes TLS explicit: `prefer`, `require` and `verify-ca` become `verify-full`, as the driver treats them, which it
 * otherwise reports at each start. `uselibpqcompat=true` keeps libpq's meaning. Adds the files of `environment`.
 */
export const withTls = (url: string, environment: TlsEnvironment = {}): string => {
  const query = readQuery(url)
  const mode = query.get('sslmode') ?? environment.PGSSLMODE
  if (mode === undefined || mode === 'disable') return url
  const [address, text] = splitQuery(url)
  // Other parameters keep their bytes, because the driver decodes some of them twice.
  const parts = text.split('&').filter((part) => part !== '' && part !== 'sslrootcert=system')
  const isCompatible = query.get('uselibpqcompat') === 'true'
  const explicit = parts.map((part) =>
    part.startsWith('sslmode=') && verifying.includes(mode) && !isCompatible ? 'sslmode=verify-full' : part,
  )
  for (const [name, variable] of files) {
    const file = environment[variable]
    if (file && file !== 'system' && !query.has(name) && mode !== 'no-verify') {
      explicit.push(`${name}=${encodeURIComponent(file)}`)
    }
  }
  return explicit.length === 0 ? address : `${address}?${explicit.join('&')}`
}

const isReadable = (file: string): boolean => {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the fault of a URL's TLS parameters: an unknown mode, or a file that cannot be read. */
export const findTlsFault = (url: string, environment: TlsEnvironment): string | undefined => {
  const query = readQuery(url)
  const mode = query.get('sslmode') ?? environment.PGSSLMODE
  if (mode !== undefined && !modes.includes(mode)) return `expected sslmode=${modes.join(', ')}`
  const named = files.find(([name, variable]) => environment[variable] && !query.has(name))
  if (named && mode === undefined && !query.has('host')) {
    return `expected sslmode=verify-full in the URL, or PGSSLMODE, because ${named[1]} is set`
  }
  const used = readQuery(withTls(url, environment))
  const unreadable = files.find(([name]) => used.has(name) && !isReadable(used.get(name) ?? ''))
  return unreadable && `the file of ${unreadable[0]} (or ${unreadable[1]}) cannot be read`
}
