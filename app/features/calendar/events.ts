import { hash } from 'node:crypto'
import { dayMs } from '../../config/units.ts'
import type { CertificateDates } from '../../records/resources/certificates.ts'
import { escapeText, formatLine } from './text.ts'

/** A certificate with an end. Days: YYYY-MM-DD. `updated_at`: as DTSTAMP has it, `20261128T093000Z`. */
export type EndingCertificate = Readonly<{
  id: string
  number: string
  title: string
  approval_status: CertificateDates['approval_status']
  valid_until: string
  scheme: string | null
  authority: string | null
  country_code: string | null
  holder: string | null
  source_url: string | null
  updated_at: string
}>

/** Of name-based UUIDs (RFC 9562, section 5.5). A change would give every event another UID. */
const namespace = Buffer.from('6f1b2f0e3d5c4b8a9a7d0c2e4f6a8b1d', 'hex')

/** Returns the same UUID for the same name. */
const createUid = (name: string): string => {
  const bytes = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'buffer').subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const toBasic = (day: string): string => day.replaceAll('-', '')
const getNextDay = (day: string): string =>
  new Date(Date.parse(day) + dayMs).toISOString().slice(0, day.length)

type Event = Readonly<{
  uid: string
  day: string
  stamp: string
  summary: string
  details: string
  url?: string
}>

const formatEvent = ({ uid, day, stamp, summary, details, url }: Event): string =>
  [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${stamp}`,
    `LAST-MODIFIED:${stamp}`,
    `DTSTART;VALUE=DATE:${toBasic(day)}`,
    `DTEND;VALUE=DATE:${toBasic(getNextDay(day))}`,
    `SUMMARY:${escapeText(summary)}`,
    `DESCRIPTION:${escapeText(details)}`,
    ...(url === undefined ? [] : [`URL:${url}`]),
    // All-day events would otherwise show their owner as busy.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
    .map(formatLine)
    .join('')

/** These certificates no longer count, whatever their end. */
const isVoid = (status: string): boolean => !['pending', 'approved', 'conditional'].includes(status)

const toUrl = (text: string | null): string | undefined => {
  const url = text === null ? null : URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

const describe = (certificate: EndingCertificate): string => {
  const { number, valid_until, approval_status, scheme, authority, country_code, holder, id } = certificate
  const known: readonly [label: string, value: string | null][] = [
    ['Status', approval_status],
    ['Scheme', scheme],
    ['Authority', authority],
    ['Country', country_code],
    ['Holder', holder],
    ['Id', id],
  ]
  const lines = known.flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`]))
  return [`The last day of the certificate ${number} is ${valid_until}.`, ...lines].join('\n')
}

/** Formats the end of a certificate as an event of one whole day, with the same UID each time. */
export const formatEnd = (customerId: string, certificate: EndingCertificate): string => {
  const { id, number, title, approval_status: status, valid_until: day, updated_at: stamp } = certificate
  const name = title === number ? number : `${title} (${number})`
  const url = toUrl(certificate.source_url)
  return formatEvent({
    uid: createUid(`${customerId}/certificates/${id}`),
    day,
    stamp,
    summary: isVoid(status) ? `Ends (${status}): ${name}` : `Ends: ${name}`,
    details: describe(certificate),
    ...(url === undefined ? {} : { url }),
  })
}

/** Formats an event of today which says that the calendar is not complete. */
export const formatCut = (customerId: string, today: string, most: number): string =>
  formatEvent({
    uid: createUid(`${customerId}/certificates`),
    day: today,
    stamp: `${toBasic(today)}T000000Z`,
    summary: `This calendar is incomplete: it shows ${most} ends of certificates, and there are more`,
    details:
      'The ends from today on come first, then the latest ones before. Add filters to the address, such as ' +
      'country_code=US or valid_until[gte]=today.',
  })
