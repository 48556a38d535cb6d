/**
 * Settings that code and cursors rely on. Servers, databases, logins and connection strings may set others.
 */
const pinned = {
  DateStyle: 'ISO, YMD',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  search_path: 'public',
} as const

const settings = Object.entries(pinned)

/**
 * Returns the connection string with the role and the pinned settings as start-up options, which replace its
 * own `options`. `role`: defaults to the login's. `operator`: the person at the command line, for the audit
 * trail. No percent-encoding is needed: the driver encodes some strings twice. See
 * docs/decisions/0127-sessions-are-pinned-or-refused.md.
 */
export const pinSession = (url: string, role?: string, operator?: string): string => {
  const options = [
    ...settings,
    ...(role === undefined ? [] : [['role', role] as const]),
    ...(operator === undefined ? [] : [['app.operator', Buffer.from(operator).toString('hex')] as const]),
  ]
  const text = options.map(([name, value]) => `-c+${name}=${value.replaceAll(' ', '')}`).join('+')
  // The driver uses the last of several parameters with the same name.
  const address = url.replace(/#.*$/s, '')
  return `${address}${address.includes('?') ? '&' : '?'}options=${text}`
}

/** SQL of a text array: pinned settings that this session lacks, because a pooler dropped its options. */
export const listUnpinned = `array(select name from (values ${settings
  .map(([name, value]) => `('${name}', '${value}')`)
  .join(', ')}) as pinned (name, value) where current_setting(name) <> value)`

/** Statements that pin the settings in an open session. */
export const pinSettings = settings.map(([name, value]) => `set ${name} = '${value}'`).join('; ')

/**
 * Statements that pin the settings of a role in this database, for poolers that drop start-up options. Do
 * nothing if this login may not alter the role.
 */
export const pinRole = (role: string): string => `do $$ begin
  ${settings
    .map(
      ([name, value]) =>
        `execute format('alter role ${role} in database %I set ${name} = %L', current_database(), '${value}');`,
    )
    .join('\n  ')}
exception when insufficient_privilege then null;
end $$`
