/** Code and cursors rely on these. Servers, databases, logins and connection strings may set others. */
const pinned = {
  DateStyle: 'ISO, YMD',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  search_path: 'public',
  // See docs/decisions/0211-statements-are-not-compiled.md.
  jit: 'off',
} as const

const settings = Object.entries(pinned)

const noTimeouts = Object.entries({ statement_timeout: '0', idle_in_transaction_session_timeout: '0' })

type Session = {
  role?: string | undefined
  /** Optional. The person at the command line, for the audit trail. */
  operator?: string | undefined
  /** Removes the timeouts that the login or server may set. */
  isUnlimited?: boolean
}

/**
 * Replaces the connection string's `options` by the pinned settings and those of `session`.
 * See docs/decisions/0127-sessions-are-pinned-or-refused.md.
 */
export const pinSession = (url: string, { role, operator, isUnlimited }: Session = {}): string => {
  const options = [
    ...settings,
    ...(isUnlimited ? noTimeouts : []),
    ...(role === undefined ? [] : [['role', role] as const]),
    ...(operator === undefined ? [] : [['app.operator', Buffer.from(operator).toString('hex')] as const]),
  ]
  const text = options.map(([name, value]) => `-c+${name}=${value.replaceAll(' ', '')}`).join('+')
  // Needs no percent-encoding, because the driver encodes some strings twice. The last parameter of a name counts.
  const address = url.replace(/#.*$/s, '')
  return `${address}${address.includes('?') ? '&' : '?'}options=${text}`
}

/** SQL of a text array: the pinned settings that this session lacks. */
export const listUnpinned = `array(select name from (values ${settings
  .map(([name, value]) => `('${name}', '${value}')`)
  .join(', ')}) as pinned (name, value) where current_setting(name) <> value)`

export const pinSettings = settings.map(([name, value]) => `set ${name} = '${value}'`).join('; ')

/** Pins a role's settings in this database, for poolers that drop start-up options. Does nothing without the right. */
export const pinRole = (role: string): string => `do $$ begin
  ${settings
    .map(
      ([name, value]) =>
        `execute format('alter role ${role} in database %I set ${name} = %L', current_database(), '${value}');`,
    )
    .join('\n  ')}
exception when insufficient_privilege then null;
end $$`
