import { duration, milliseconds, percent } from '../../site/browser/units.js'
import { html } from '../../site/escape.ts'
import type { HomeState } from '../../site/home-page.ts'
import type { StatusDocument } from './document.ts'

const listFigures = ({ periods: { '24h': day, '30d': month } }: StatusDocument): HomeState['figures'] => {
  const measured = month.minutes === month.whole_minutes ? '30 days' : duration(month.minutes * 60)
  const all = {
    availability: {
      verdict: month.verdicts.availability,
      figure: percent(month.availability),
      note: `in ${measured}`,
    },
    average: {
      verdict: day.verdicts.average,
      figure: milliseconds(day.latency.average_ms),
      note: 'in 24 hours',
    },
    freshness: {
      verdict: day.verdicts.freshness,
      figure: milliseconds(day.max_age_ms),
      note: 'at most, in 24 hours',
    },
  } as const
  return Object.fromEntries(Object.entries(all).filter(([, { verdict }]) => verdict !== 'unknown'))
}

const toLine = ({ status, headline }: StatusDocument): HomeState['line'] => {
  const words =
    status === 'unknown'
      ? html`<span>Promised. The service has not measured for long enough yet.</span> `
      : html`<span class="mark ${status}"></span><span id="state">${headline}.</span> `
  return html`<p class="state">${words}<a href="/status">See the status page</a></p>`
}

/** Returns a function for the start page, which converts each document once. */
export const createHomeState = (getDocument: () => StatusDocument): (() => HomeState) => {
  let made: { document: StatusDocument; state: HomeState } | undefined
  return () => {
    const document = getDocument()
    if (made?.document !== document) {
      made = { document, state: { figures: listFigures(document), line: toLine(document) } }
    }
    return made.state
  }
}
