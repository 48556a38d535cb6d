import { byLabel, counter, type Figure } from './figures.ts'
import type { SentAnswer } from './sent-answer.ts'

const hourMs = 3_600_000
/** Series of one process. Further customers share the label `other`. */
const maxSeries = 50
/** Customers that are counted for the next choice. About 1 MB. */
const maxCandidates = 10_000
const other = 'other'

/**
 * Counts the requests of the busiest customers. At the end of an hour, the 50 busiest ones of that hour get a series, and
 * all others lose theirs. Until then, the first customers without a series get the free ones. Every series only grows, so
 * `rate()` works. `now`: milliseconds since 1970. See docs/decisions/0273-busiest-customers-have-series.md.
 */
export const createCustomerMetrics = (
  now: () => number,
): Readonly<{ countAnswer: (answer: SentAnswer) => void; figures: readonly Figure[] }> => {
  const series = new Map<string, number>()
  const ofHour = new Map<string, number>()
  let others = 0
  let hour = Math.floor(now() / hourMs)

  const beginHour = (next: number): void => {
    const busiest = [...ofHour].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, maxSeries)
    const chosen = new Set(busiest.map(([customer]) => customer))
    for (const customer of series.keys()) if (!chosen.has(customer)) series.delete(customer)
    for (const customer of chosen) series.set(customer, series.get(customer) ?? 0)
    ofHour.clear()
    hour = next
  }

  const rememberForChoice = (customer: string): void => {
    const count = ofHour.get(customer)
    if (count !== undefined || ofHour.size < maxCandidates) ofHour.set(customer, (count ?? 0) + 1)
  }

  const countAnswer = ({ principal }: SentAnswer): void => {
    if (!principal) return
    const customer = principal.customerId
    const current = Math.floor(now() / hourMs)
    if (current !== hour) beginHour(current)
    rememberForChoice(customer)
    const known = series.get(customer)
    if (known !== undefined || series.size < maxSeries) series.set(customer, (known ?? 0) + 1)
    else others += 1
  }

  const figures = [
    counter(
      'certdata_customer_requests_total',
      'Answers to the 50 busiest customers of the last hour, and to all others',
      () => byLabel('customer', new Map([...series, [other, others]])),
    ),
  ]
  return { countAnswer, figures }
}
