import { controlParameters } from '../../openapi/controls.ts'
import type { Description } from '../../openapi/description.ts'
import { filterParameters } from '../../openapi/filters.ts'
import { text } from '../../openapi/parameters.ts'
import { describePage } from '../../openapi/records.ts'
import { arrangements } from '../../records/query/controls.ts'
import { resources } from '../../records/resources/index.ts'
import { mostEvents } from './calendar.ts'

const contents =
  'an iCalendar file (RFC 5545) with one all-day event for the last day of each certificate that has one, at most ' +
  `${mostEvents.toLocaleString('en')}. If there are more, the ends from today on come first, and an event of today says ` +
  'that the calendar is incomplete.'

export const calendarSentence =
  `\`format=ics\` is ${contents} It takes the filters, but no \`${arrangements.join('`, `')}\`. It costs as much as an ` +
  'export, and has an ETag.'

export const calendarExample = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Certification Data API//Ends of certificates//EN',
  'BEGIN:VEVENT',
  'UID:3b1d2f0e-6c5d-5b8a-9a7d-0c2e4f6a8b1d',
  'DTSTAMP:20261121T162000Z',
  'DTSTART;VALUE=DATE:20280430',
  'DTEND;VALUE=DATE:20280501',
  'SUMMARY:Ends: Lumen Gateway\\, FCC ID (2AZZX-LG200)',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n')

const { certificates } = resources
const omitted: readonly string[] = [...arrangements, 'cursor', 'count', 'include', 'bom']

export const describeCalendar: Description = {
  rank: 65,
  operationId: 'readCalendar',
  summary: 'Subscribe to the ends of certificates',
  description:
    `For calendar programs, which send no token: ${contents} The file name contains a key that works at this address ` +
    'only. The certification house makes it. A wrong, revoked or expired key, another network than the allowed ones and ' +
    'a customer without access all return the same 404.',
  tag: describePage(certificates).tag,
  parameters: [
    {
      name: 'file',
      in: 'path',
      required: true,
      description: 'The key and `.ics`, as the certification house has sent it',
      schema: text('File name', 'cda_calendar_k3v9x2m7q4d8s1fa_secret.ics', 100),
    },
    ...filterParameters(certificates),
    ...controlParameters(certificates, 'page', ['ics']).filter(({ name }) => !omitted.includes(name)),
  ],
  errors: ['query', 'record', 'tag', 'address'],
  answer: 'The calendar',
  files: { 'text/calendar': { schema: { type: 'string' }, example: calendarExample } },
  headers: ['Content-Disposition'],
}
