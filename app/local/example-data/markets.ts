/** What a number is made of: the product's model, a serial number, the year of issue. */
type NumberParts = { model: string; serial: number; year: number }

/** How one country (null: none in particular) approves radio products. */
export type Market = {
  country: string | null
  authority: string | null
  scheme: string | null
  type: string | null
  standards: readonly string[]
  number: (parts: NumberParts) => string
}

const yy = (year: number) => String(year % 100).padStart(2, '0')
const digits = (serial: number, length: number) =>
  String(serial * 7919)
    .padStart(length, '0')
    .slice(-length)

const market = (
  country: string | null,
  authority: string | null,
  scheme: string | null,
  type: string | null,
  standards: readonly string[],
  number: Market['number'],
): Market => ({ country, authority, scheme, type, standards, number })

const red = ['EN 300 328 V2.2.2', 'EN 301 489-17 V3.2.4', 'EN IEC 62368-1:2020']

/** The markets of the example customer: real schemes, invented numbers of their patterns. */
export const markets = {
  US: market(
    'US',
    'FCC',
    'FCC ID',
    'type_approval',
    ['FCC Part 15C', 'FCC Part 15B'],
    (p) => `2AZZX-${p.model}`,
  ),
  CA: market(
    'CA',
    'ISED',
    'ISED',
    'type_approval',
    ['RSS-247 Issue 3', 'ICES-003'],
    (p) => `99999-${p.model}`,
  ),
  DE: market(
    'DE',
    null,
    'CE RED',
    'declaration_of_conformity',
    red,
    (p) => `EXD-DoC-${p.year}-${digits(p.serial, 3)}`,
  ),
  GB: market(
    'GB',
    null,
    'UKCA',
    'declaration_of_conformity',
    red,
    (p) => `EXD-UK-${p.year}-${digits(p.serial, 3)}`,
  ),
  CH: market(
    'CH',
    'BAKOM/OFCOM',
    'CE RED',
    'declaration_of_conformity',
    red,
    (p) => `EXD-CH-${p.year}-${digits(p.serial, 3)}`,
  ),
  JP: market(
    'JP',
    'MIC',
    'MIC',
    'certificate_of_conformity',
    ['Article 2-1-19'],
    (p) => `R 999-${yy(p.year)}${digits(p.serial, 4)}`,
  ),
  KR: market('KR', 'RRA', 'KC', 'registration', ['KS X 3123', 'KS X 3124'], (p) => `R-R-EXD-${p.model}`),
  BR: market(
    'BR',
    'ANATEL',
    'ANATEL',
    'type_approval',
    ['Ato 14448'],
    (p) => `${digits(p.serial, 5)}-${yy(p.year)}-99999`,
  ),
  SG: market(
    'SG',
    'IMDA',
    'IMDA',
    'registration',
    ['TS SRD'],
    (p) => `N${digits(p.serial, 4)}-${yy(p.year)}`,
  ),
  CN: market(
    'CN',
    'MIIT',
    'SRRC',
    'type_approval',
    ['MIIT [2021] 129'],
    (p) => `CMIIT ID: ${p.year}DP${digits(p.serial, 5)}`,
  ),
  IN: market(
    'IN',
    'WPC',
    'WPC ETA',
    'certificate_of_conformity',
    [],
    (p) => `ETA-SD-${p.year}${digits(p.serial, 7)}`,
  ),
  AU: market(
    'AU',
    'ACMA',
    'RCM',
    'declaration_of_conformity',
    ['AS/NZS 4268', 'AS/NZS CISPR 32'],
    (p) => `EXD-RCM-${digits(p.serial, 4)}`,
  ),
  TW: market(
    'TW',
    'NCC',
    'NCC ID',
    'type_approval',
    ['LP0002'],
    (p) => `CCXX${yy(p.year)}LP${digits(p.serial, 4)}T0`,
  ),
  MX: market(
    'MX',
    'CRT',
    'IFT',
    'certificate_of_conformity',
    ['IFT-008-2015'],
    (p) => `EXD${p.model}${yy(p.year)}-${digits(p.serial, 5)}`,
  ),
  AE: market('AE', 'TDRA', 'TDRA', 'type_approval', [], (p) => `ER${digits(p.serial, 5)}/${yy(p.year)}`),
  KW: market('KW', 'CITRA', 'CITRA', 'type_approval', [], (p) => `CITRA/${p.year}/${digits(p.serial, 4)}`),
  ZA: market(
    'ZA',
    'ICASA',
    'ICASA',
    'type_approval',
    ['EN 300 328 V2.2.2'],
    (p) => `TA-${p.year}/${digits(p.serial, 4)}`,
  ),
  ID: market('ID', 'DJID', 'DJID', 'type_approval', [], (p) => `${digits(p.serial, 5)}/DJID/${p.year}`),
  module: market('US', 'FCC', 'FCC ID', 'module_approval', ['FCC Part 15C'], (p) => `2AZZX-${p.model}M`),
  safety: market(
    null,
    'CB Scheme',
    'IECEE CB',
    'safety_certificate',
    ['IEC 62368-1:2018'],
    (p) => `DE 9-${digits(p.serial, 5)}`,
  ),
  bluetooth: market(
    null,
    null,
    'Bluetooth SIG',
    'other',
    ['Bluetooth Core 5.4'],
    (p) => `Q${digits(p.serial, 6)}`,
  ),
  legacy: market('DE', null, null, null, [], (p) => `Z-${digits(p.serial, 5)}`),
} as const satisfies Record<string, Market>

export type MarketName = keyof typeof markets
