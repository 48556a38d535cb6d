import ICAL from 'ical.js'
import { sql } from 'kysely'
import { importRecords } from '../../../app/import/index.ts'
import type { TestDatabase } from '../../helper.ts'

export type Certificate = Readonly<{ id: string } & Record<string, unknown>>

/** Writes certificates of a customer, which must exist. */
export const writeCertificates = async (
  { operator }: Pick<TestDatabase, 'operator'>,
  customer: string,
  certificates: readonly Certificate[],
): Promise<void> => {
  const lines = certificates.map((each) =>
    JSON.stringify({
      resource: 'certificates',
      customer,
      number: each.id,
      approval_status: 'approved',
      ...each,
    }),
  )
  const report = await importRecords(operator, ReadableStream.from([Buffer.from(`${lines.join('\n')}\n`)]))
  if (report.bad > 0) throw new Error(JSON.stringify(report))
}

/** Adds certificates `c1`, `c2` … that end on the days after `first` (YYYY-MM-DD), one on each. */
export const writeMany = async (
  { operator }: Pick<TestDatabase, 'operator'>,
  customer: string,
  first: string,
  count: number,
): Promise<void> => {
  await sql`
    insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    select ${customer}, 'c' || n, 'C' || n, 'Certificate ' || n, 'approved', ${first}::date + n
    from generate_series(1, ${count}::integer) n`.execute(operator)
}

/** Parses a calendar with a library. `start` and `end`: YYYY-MM-DD if they have no time. */
export const parseCalendar = (text: string) => {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const events = calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component)
    return {
      uid: event.uid,
      summary: event.summary,
      description: event.description,
      start: event.startDate.toString(),
      end: event.endDate.toString(),
      isAllDay: event.startDate.isDate && event.endDate.isDate,
      url: component.getFirstPropertyValue('url'),
      stamp: String(component.getFirstPropertyValue('dtstamp')),
      component,
    }
  })
  return { calendar, events }
}
