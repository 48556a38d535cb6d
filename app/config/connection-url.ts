import { z } from 'zod'

type Form = Readonly<{ scheme: RegExp; example: string; rest: RegExp; severalHosts: string }>

const escapes =
  'Write special characters in the name and password as %XX, for example # as %23, / as %2F, ? as %3F, @ as %40 and % as %25'

const canDecode = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** An unescaped `/`, `?` or `#` in a password ends the authority too early: then `rest` contains the `@`. */
const split = (url: string) => {
  const [, authority = '', rest = ''] = /^[^:]+:\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  const at = authority.lastIndexOf('@')
  return { login: authority.slice(0, Math.max(0, at)), hosts: authority.slice(at + 1), rest }
}

/** The message quotes no part of the URL, because that may be a part of the password. */
const findFault = (url: string, form: Form): string | undefined => {
  const { scheme, example, severalHosts } = form
  const malformed = `expected ${example}. ${escapes}`
  if (!scheme.test(url) || /[\s#]/.test(url)) return malformed
  const { login, hosts, rest } = split(url)
  // libpq accepts `?user=a@b`. Any other `@` in `rest` belongs to a login with an unescaped character.
  const isCut = rest.replace(/[?&](user|password)=[^&]*/g, '').includes('@')
  if (isCut || !canDecode(login) || !canDecode(rest)) return malformed
  const isCluster = /^rediss?-cluster:/.test(url)
  if ((hosts.includes(',') && !isCluster) || /[?&]host=[^&]*(,|%2c)/i.test(rest)) {
    return `expected one host. ${severalHosts}`
  }
  const areHosts = hosts === '' || hosts.split(',').every((host) => URL.canParse(`any://${host}`))
  return areHosts && form.rest.test(rest) ? undefined : malformed
}

const connectionUrl = (form: Form) =>
  z.string().superRefine((url, context) => {
    const message = findFault(url, form)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

/** Also accepts libpq's form without a host, which names a socket by `?host=/folder`. */
export const postgresUrl = connectionUrl({
  scheme: /^postgres(ql)?:\/\/\S/,
  example: 'postgresql://name:password@host:5432/database',
  rest: /^/,
  severalHosts:
    'Name one address that always leads to the primary: a DNS name, or a proxy such as HAProxy or PgBouncer in front of the hosts',
})

export const redisUrl = connectionUrl({
  scheme: /^rediss?(-cluster)?:\/\/[^/]/,
  example: 'redis://:password@host:6379, rediss://… or redis-cluster://host:port,host:port',
  rest: /^(\/\d*)?$/,
  severalHosts:
    'For a cluster write redis-cluster://host:port,host:port. Otherwise name the one that is written to',
})
