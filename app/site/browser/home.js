import { duration, find, milliseconds, percent } from './ui.js'

/** Puts measured figures in the place of promised ones. A period with too few measurements keeps the promise. */

/** @typedef {import('./status.js').Status} Status */

/** @param {string} name @param {string} verdict @param {string} figure @param {string} note */
const show = (name, verdict, figure, note) => {
  if (verdict === 'unknown') return
  find(`[data-figure=${name}]`, HTMLElement).textContent = figure
  find(`[data-note=${name}]`, HTMLElement).textContent = note
}

try {
  /** @type {Status} */
  const status = await (await fetch('/status.json')).json()
  const { latency, freshness, availability } = status.targets
  const day = status.periods['24h']
  const month = status.periods['30d']
  show(
    'freshness',
    day.verdicts.freshness,
    milliseconds(day.max_age_ms),
    `oldest answer in 24 hours, promised ≤ ${freshness.max_age_ms} ms`,
  )
  show(
    'average',
    day.verdicts.average,
    milliseconds(day.latency.average_ms),
    `average in 24 hours, promised < ${latency.average_ms} ms`,
  )
  const measured = month.minutes === month.whole_minutes ? '' : `, ${duration(month.minutes * 60)} measured`
  show(
    'availability',
    month.verdicts.availability,
    percent(month.availability),
    `in 30 days${measured}, promised ${availability.promised * 100} %`,
  )
  find('#state', HTMLElement).textContent = `${status.headline}.`
  find('#state-mark', HTMLElement).className = `mark ${status.status}`
} catch {
  find('#state', HTMLElement).textContent = 'The measured figures could not be loaded.'
}
