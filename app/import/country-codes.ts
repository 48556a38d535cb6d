import type { StoredRecord } from './record.ts'

/** ISO 3166-1 alpha-2, and XK, which is in use for Kosovo. */
export const countryCodes: ReadonlySet<string> = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
  GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
  KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
  MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
  SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
  UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`.split(/\s+/),
)
const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** The European Commission uses EL for Greece. CLDR maps UK and codes of dissolved countries. */
const findLikely = (code: string): string | undefined => {
  const likely = code === 'EL' ? 'GR' : new Intl.Locale(`und-${code}`).region
  return likely !== undefined && likely !== code && countryCodes.has(likely) ? likely : undefined
}

/** Describes a code of two capitals that is no country's. `undefined` for a country's code. */
export const describeCountryCode = (code: string): string | undefined => {
  if (countryCodes.has(code)) return undefined
  const likely = findLikely(code)
  if (likely) return `${code} is no ISO 3166-1 code; ${likely} is ${countryNames.of(likely)}`
  if (code === 'EU') return 'EU is the European Union, which is no country'
  return `${code} is no country in ISO 3166-1`
}

/** Fields with a country's code, in all resources. */
export const countryFields: readonly string[] = [
  'country_code',
  'laboratory_country_code',
  'country_codes',
  'code',
]

/** Returns a function that warns of country codes that are no country's, once per code. */
export const createCountryCodeCheck = (): ((record: StoredRecord) => string[]) => {
  const reported = new Set<string>()
  return (record) => {
    const warnings: string[] = []
    for (const field of countryFields) {
      for (const code of [record[field] ?? []].flat() as string[]) {
        if (countryCodes.has(code) || reported.has(code)) continue
        reported.add(code)
        warnings.push(`${field}: ${describeCountryCode(code)}; this is reported once`)
      }
    }
    return warnings
  }
}
