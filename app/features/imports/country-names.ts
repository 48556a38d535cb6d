import { countryCodes } from '../../import/country-codes.ts'
import { findNearest } from '../../lists/nearest.ts'

// See docs/decisions/0233-the-import-reads-names-of-countries.md.

/** Names in use that CLDR does not have. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE', 'VAE'],
  BA: ['Bosnien-Herzegowina'],
  BO: ['Plurinational State of Bolivia', 'Bolivia, Plurinational State of'],
  BY: ['Weißrussland', 'Weissrussland'],
  CD: [
    'Kongo',
    'Congo',
    'Demokratische Republik Kongo',
    'DR Kongo',
    'Democratic Republic of the Congo',
    'DR Congo',
  ],
  CG: ['Kongo', 'Congo', 'Republik Kongo', 'Republic of the Congo'],
  CI: ['Elfenbeinküste', 'Ivory Coast'],
  CN: ['Volksrepublik China', 'VR China', "People's Republic of China", 'PR China', 'PRC', 'Mainland China'],
  CV: ['Kap Verde', 'Cape Verde'],
  CZ: ['Tschechische Republik', 'Czech Republic'],
  DE: ['Bundesrepublik Deutschland', 'BRD', 'Federal Republic of Germany'],
  GB: ['Großbritannien', 'Great Britain', 'UK', 'United Kingdom of Great Britain and Northern Ireland'],
  HK: ['Hongkong SAR', 'Hong Kong SAR'],
  IR: ['Islamic Republic of Iran', 'Iran, Islamic Republic of', 'Islamische Republik Iran'],
  KP: ['Korea', "Democratic People's Republic of Korea", 'Demokratische Volksrepublik Korea', 'Korea, Nord'],
  KR: [
    'Korea',
    'Republic of Korea',
    'Korea, Republic of',
    'Republik Korea',
    'Korea, South',
    'Korea (Süd)',
    'ROK',
  ],
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

/** Several codes for the name of several countries. */
type Country = { name: string; codes: string[] }

const readNames = (): Map<string, Country> => {
  const countries = new Map<string, Country>()
  for (const code of countryCodes) {
    const names = new Map(listNames(code).map((name) => [toNameKey(name), name]))
    for (const [key, name] of names) {
      const country = countries.get(key) ?? { name, codes: [] }
      country.codes.push(code)
      countries.set(key, country)
    }
  }
  return countries
}

let known: Map<string, Country> | undefined

/**
 * Returns the ISO 3166-1 code of a country's name in English or German, or of its code in small letters. A text of two
 * capitals is returned unchanged. `undefined` for an unknown or ambiguous name, such as `Kongo` and `Korea`.
 */
export const findCountryCode = (name: string): string | undefined => {
  const text = name.trim()
  if (/^[A-Z]{2}$/.test(text)) return text
  // Before names: `toNameKey` makes `ua` of UAE.
  if (countryCodes.has(text.toUpperCase())) return text.toUpperCase()
  known ??= readNames()
  const { codes = [] } = known.get(toNameKey(text)) ?? {}
  return codes.length === 1 ? codes[0] : undefined
}

/** Bounds the time for a table that repeats its unknown names: each is compared with a thousand names. */
const maxSuggestions = 1000
const suggestions = new Map<string, string>()

const findSuggestion = (key: string, names: Map<string, Country>): string => {
  const { name, codes = [] } = names.get(key) ?? names.get(findNearest(key, names.keys()) ?? '') ?? {}
  if (codes.length > 1) return `; did you mean ${codes.join(' or ')}?`
  return name === undefined ? '' : `; did you mean "${name}" (${codes[0]})?`
}

/** Returns the nearest country, or all countries of an ambiguous name: `; did you mean CD or CG?`. Empty if none is near. */
export const suggestCountry = (name: string): string => {
  const key = toNameKey(name)
  known ??= readNames()
  const suggestion = suggestions.get(key) ?? findSuggestion(key, known)
  if (suggestions.size >= maxSuggestions) suggestions.clear()
  suggestions.set(key, suggestion)
  return suggestion
}
