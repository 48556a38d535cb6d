import { countryCodes } from '../../import/country-codes.ts'

// See docs/decisions/0233-the-import-reads-names-of-countries.md.

/** Names in use that CLDR does not have. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE', 'VAE'],
  BA: ['Bosnien-Herzegowina'],
  BO: ['Plurinational State of Bolivia', 'Bolivia, Plurinational State of'],
  BY: ['Weißrussland', 'Weissrussland'],
  CD: ['Demokratische Republik Kongo', 'DR Kongo', 'Democratic Republic of the Congo', 'DR Congo'],
  CG: ['Republik Kongo', 'Republic of the Congo'],
  CI: ['Elfenbeinküste', 'Ivory Coast'],
  CN: ['Volksrepublik China', 'VR China', "People's Republic of China", 'PR China', 'PRC', 'Mainland China'],
  CV: ['Kap Verde', 'Cape Verde'],
  CZ: ['Tschechische Republik', 'Czech Republic'],
  DE: ['Bundesrepublik Deutschland', 'BRD', 'Federal Republic of Germany'],
  GB: ['Großbritannien', 'Great Britain', 'UK', 'United Kingdom of Great Britain and Northern Ireland'],
  HK: ['Hongkong SAR', 'Hong Kong SAR'],
  IR: ['Islamic Republic of Iran', 'Iran, Islamic Republic of', 'Islamische Republik Iran'],
  KP: ["Democratic People's Republic of Korea", 'Demokratische Volksrepublik Korea', 'Korea, Nord'],
  KR: ['Republic of Korea', 'Korea, Republic of', 'Republik Korea', 'Korea, South', 'Korea (Süd)', 'ROK'],
  LA: ["Lao People's Democratic Republic", 'Lao PDR'],
  MD: ['Moldawien', 'Republic of Moldova', 'Moldova, Republic of'],
  MK: ['Mazedonien', 'Macedonia'],
  MO: ['Macau', 'Macao SAR'],
  MX: ['Vereinigte Mexikanische Staaten'],
  NL: ['Holland'],
  RU: ['Russische Föderation', 'Russian Federation'],
  SK: ['Slowakische Republik', 'Slovak Republic'],
  SY: ['Syrian Arab Republic'],
  SZ: ['Swasiland', 'Swaziland'],
  TL: ['Osttimor', 'East Timor'],
  TR: ['Türkei', 'Turkey'],
  TW: ['Taiwan, Province of China', 'Chinese Taipei'],
  TZ: ['United Republic of Tanzania', 'Tanzania, United Republic of'],
  US: ['USA', 'United States of America', 'Vereinigte Staaten von Amerika', 'U. S.'],
  VA: ['Vatikan', 'Holy See'],
  VE: ['Bolivarian Republic of Venezuela', 'Venezuela, Bolivarian Republic of'],
  VN: ['Viet Nam', 'Socialist Republic of Vietnam'],
}

/** Returns a name without capitals, accents, signs, `and` and articles. `ae`, `oe` and `ue` count as the umlauts that they replace. */
export const toNameKey = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replace(/\b(?:and|und|the|die|der)\b/g, '')
    .replace(/(?<=[aou])e/g, '')
    .replace(/[^\p{L}]/gu, '')

const listNames = (code: string): string[] => {
  const names = ['de', 'en'].flatMap((language) =>
    (['long', 'short'] as const).map(
      (style) => new Intl.DisplayNames(language, { type: 'region', style }).of(code) as string,
    ),
  )
  const short = names.map((name) => name.replace(/\s*\(.*\)$/, ''))
  return [...names, ...short, ...(aliases[code] ?? [])]
}

const readNames = (): Map<string, string> => {
  const codes = new Map<string, string>()
  const ambiguous = new Set<string>()
  for (const code of countryCodes) {
    for (const key of new Set([code.toLowerCase(), ...listNames(code).map(toNameKey)])) {
      if ((codes.get(key) ?? code) !== code) ambiguous.add(key)
      codes.set(key, code)
    }
  }
  for (const key of ambiguous) codes.delete(key)
  return codes
}

let known: Map<string, string> | undefined

/**
 * Returns the ISO 3166-1 code of a country's name in English or German, or of its code in small letters. A text of two
 * capitals is returned unchanged. `undefined` for an unknown or ambiguous name, such as `Kongo` and `Korea`.
 */
export const findCountryCode = (name: string): string | undefined => {
  const text = name.trim()
  if (/^[A-Z]{2}$/.test(text)) return text
  known ??= readNames()
  return known.get(toNameKey(text))
}
