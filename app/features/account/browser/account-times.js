import { make } from '../../../site/browser/ui.js'
import { number } from '../../../site/browser/units.js'

const dayMs = 86_400_000
/** As the clients warn. */
const soonDays = 14

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const minute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
})
/** @param {string | null} instant */
export const formatDay = (instant) => (instant === null ? 'never' : day.format(new Date(instant)))
/** @param {string | null} instant */
export const formatTime = (instant) => (instant === null ? 'never' : minute.format(new Date(instant)))

/** Returns the day of an end, and how soon it is. @param {string | null} instant */
export const describeEnd = (instant) => {
  if (instant === null) return ['no end']
  const [end, now] = [Date.parse(instant), Date.now()]
  if (end < now) return [formatDay(instant)]
  // Days of the calendar, as the date next to them: in UTC.
  const days = Math.floor(end / dayMs) - Math.floor(now / dayMs)
  const words = ['today', 'tomorrow'][days] ?? `in ${number(days)} days`
  const isSoon = end - now < soonDays * dayMs
  return [formatDay(instant), make('small', { class: isSoon ? 'warn' : undefined }, words)]
}
