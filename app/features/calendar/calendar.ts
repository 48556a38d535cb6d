import { setImmediate } from 'node:timers/promises'
import type { ReadResult } from '../../cache/freshness.ts'
import { type QueuedDb, readRowInTurn } from '../../db/connect.ts'
import { compile } from '../../db/statement-cache.ts'
import { mediaTypes } from '../../http/formats.ts'
import { toFilledBody } from '../../lists/answer.ts'
import type { Lists } from '../../lists/lists.ts'
import { planQuery } from '../../records/query/plan.ts'
import type { PreparedQuery } from '../../records/query/prepare.ts'
import { type EndingCertificate, formatCut, formatEnd } from './events.ts'
import { type EndsRow, endsStatement } from './statement.ts'
import { escapeText, formatLine } from './text.ts'

/** Some calendar programs refuse larger files. */
export const mostEvents = 5_000

/** Part of the cache key. Raise it with each change of the text. */
const version = 1

/** How often programs should read the calendar again. */
const refresh = 'PT1H'

const toDays = (day: string): number => Date.parse(day)

/** Keeps the ends from today on, then the latest before today. See docs/decisions/0276-a-cut-calendar-says-so.md. */
const keepNearest = (rows: readonly EndingCertificate[], today: string): readonly EndingCertificate[] => {
  if (rows.length <= mostEvents) return rows
  const getDistance = ({ valid_until: day }: EndingCertificate) => Math.abs(toDays(day) - toDays(today))
  const isPast = ({ valid_until: day }: EndingCertificate) => Number(day < today)
  const nearest = rows.toSorted(
    (one, other) => isPast(one) - isPast(other) || getDistance(one) - getDistance(other),
  )
  const kept = new Set(nearest.slice(0, mostEvents))
  return rows.filter((row) => kept.has(row))
}

/** RFC 5545 requires a component. This one changes nothing. */
const emptyBody = ['BEGIN:VTIMEZONE', 'TZID:UTC', 'BEGIN:STANDARD', 'DTSTART:19700101T000000']
  .concat(['TZOFFSETFROM:+0000', 'TZOFFSETTO:+0000', 'END:STANDARD', 'END:VTIMEZONE'])
  .map(formatLine)
  .join('')

/** About 5 ms. Other requests are answered in between. */
const eventsAtOnce = 250

const formatEnds = async (customerId: string, rows: readonly EndingCertificate[]): Promise<string> => {
  let text = ''
  for (let at = 0; at < rows.length; at += eventsAtOnce) {
    if (at > 0) await setImmediate()
    for (const row of rows.slice(at, at + eventsAtOnce)) text += formatEnd(customerId, row)
  }
  return text
}

/** Formats a calendar. `rows`: of `endsStatement`. */
export const formatCalendar = async (
  rows: readonly EndingCertificate[],
  { customerId, today }: Readonly<{ customerId: string; today: string }>,
): Promise<string> => {
  const name = escapeText(`Certificates of ${customerId}`)
  const head = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Certification Data API//Ends of certificates//EN',
    'CALSCALE:GREGORIAN',
    `NAME:${name}`,
    `X-WR-CALNAME:${name}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${refresh}`,
    `X-PUBLISHED-TTL:${refresh}`,
  ]
  const mark = rows.length > mostEvents ? formatCut(customerId, today, mostEvents) : ''
  const ends = await formatEnds(customerId, keepNearest(rows, today))
  return `${head.map(formatLine).join('')}${mark}${ends === '' ? emptyBody : ends}${formatLine('END:VCALENDAR')}`
}

export type CalendarRequest = Readonly<{
  principal: Readonly<{ customerId: string }>
  query: PreparedQuery
  /** The answer must include every commit before the request. */
  noCache: boolean
}>

/**
 * Returns a function that answers a query of certificates, parsed as for an export, with the calendar of their ends.
 * Cached as a page is. Throws or rejects with invalid_query, overloaded, unavailable.
 */
export const createCalendar =
  (lists: Lists, getToday: () => string) =>
  ({ principal, query: prepared, noCache }: CalendarRequest): ReadResult | Promise<ReadResult> => {
    const { customerId } = principal
    const today = getToday()
    const { query, canonical, dependsOn } = prepared
    const fill = async (source: QueuedDb) => {
      const plan = planQuery(query, { customerId, today })
      const statement = compile(endsStatement(plan, today, mostEvents + 1))
      const row = await readRowInTurn<EndsRow>(source, customerId, statement)
      const text = await formatCalendar(row.ends, { customerId, today })
      const events = Math.min(row.ends.length, mostEvents)
      return toFilledBody(row, mediaTypes.ics, text, events)
    }
    const key = `calendar ${version} ${query.resource.version} ${today} ${canonical}`
    return lists.read({ customerId, key, dependsOn, noCache, fill })
  }
