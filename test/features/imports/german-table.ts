const columns = [
  'Lfd. Nr.',
  'Zertifikats-Nr.',
  'Bezeichnung',
  'Status',
  'Land',
  'Zertifizierungsstelle',
  'Zeichen',
  'Gültig ab',
  'Gültig bis',
  'Ausgestellt am',
  'Inhaber',
  'Prüfgrundlage',
  'Gebühr (EUR)',
  'Bemerkung',
]
const statuses = ['erteilt', 'Erteilt', 'ausgesetzt', 'zurückgezogen', 'in Prüfung', 'erloschen']
const countries = [
  'Deutschland',
  'USA',
  'Vereinigte Staaten',
  'Südkorea',
  'Großbritannien',
  'JP',
  'Österreich',
]
const toDay = (index: number, year: number) =>
  `${String((index % 28) + 1).padStart(2, '0')}.${String((index % 12) + 1).padStart(2, '0')}.${year}`

const toRow = (index: number): string[] => [
  `${index + 1}`,
  `Z-${24000 + index * 3}`,
  index % 7 === 0 ? `Meßgerät "Größe ${index}"; Ausführung B` : `Prüfgerät ${index}`,
  statuses[index % statuses.length] as string,
  countries[index % countries.length] as string,
  'TÜV Süd',
  'CE',
  toDay(index, 2024),
  index % 4 === 0 ? 'unbefristet' : toDay(index, 2029),
  toDay(index, 2023),
  'Müller & Söhne GmbH',
  index % 2 === 0 ? 'EN 55032, EN 61000-3-2' : 'EN 300 328',
  `${(1000 + index).toLocaleString('de')},50`,
  index % 50 === 0 ? 'Frau Jäger fragen' : '',
]

const quote = (cell: string) => (/[";\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A table of 300 certificates as a German house has it: a title, own words, and semicolons. */
export const germanTable = [
  ['Zertifikate der Prüfstelle, Stand 28.11.2026', ...columns.slice(1).map(() => '')],
  columns.map(() => ''),
  columns,
  ...Array.from({ length: 300 }, (_, index) => toRow(index)),
]
  .map((cells) => `${cells.map(quote).join(';')}\r\n`)
  .join('')
