/** The variables that say whose service this is. All are optional. */
const names = ['OPERATOR_NAME', 'IMPRINT_URL', 'PRIVACY_URL'] as const

/** The certification house that operates the service. */
export type House = Readonly<{
  name: string | undefined
  imprintUrl: string | undefined
  privacyUrl: string | undefined
}>

/** Returns a sentence that names the missing variables, or `undefined` if all are set. */
export const describeMissingHouse = (
  env: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  const missing = names.filter((name) => !env[name])
  return missing.length === 0
    ? undefined
    : `the pages do not fully say whose service this is: set ${missing.join(', ')}`
}
