import { showCharts, showDays } from './status-charts.js'
import { showFigures } from './status-figures.js'
import { duration, find, make, moment, percent } from './ui.js'

/**
 * @typedef {{
 *   at: string, minutes: number, unreported_minutes: number, availability: number | null, requests: number,
 *   failed: number, latency: { average_ms: number | null, p50_ms: number | null, p99_ms: number | null },
 *   cache_hit_ratio: number | null, max_age_ms: number | null,
 * }} Point
 * @typedef {'kept' | 'broken' | 'unknown'} Verdict
 * @typedef {Point & {
 *   until: string, whole_minutes: number, verdicts: { availability: Verdict, average: Verdict, freshness: Verdict },
 *   error_budgets: { objective: number, allowed_seconds: number, used_seconds: number, left: number | null }[],
 * }} Period
 * @typedef {'minutes' | 'quarters' | 'days'} Span
 * @typedef {{
 *   status: 'operational' | 'degraded' | 'down' | 'unknown', headline: string, note: string | null,
 *   generated_at: string, measured_since: string | null,
 *   targets: { availability: { promised: number, objective: number }, latency: { average_ms: number },
 *     freshness: { max_age_ms: number } },
 *   periods: Record<'now' | '24h' | '30d' | '90d', Period>, series: Record<Span, Point[]>,
 *   incidents: { from: string, until: string | null, minutes: number, kind: 'failing' | 'unreported',
 *     availability: number }[],
 * }} Status
 */

const refreshMs = 10_000
const kinds = {
  failing: 'Requests or probes failed.',
  unreported: 'No instance reported. The time counts as not available.',
}

/** @param {Status} status */
const showIncidents = ({ incidents, measured_since: since }) => {
  const box = find('#incidents', HTMLElement)
  if (incidents.length === 0) {
    const isYoung = since !== null && Date.parse(since) > Date.now() - 89 * 86_400_000
    const when =
      since === null ? ' yet' : isYoung ? ` since measuring began on ${moment(since)}` : ' in 90 days'
    box.replaceChildren(make('p', { class: 'soft' }, `None${when}.`))
    return
  }
  box.replaceChildren(
    ...incidents.map(({ from, until, minutes, kind, availability }) =>
      make(
        'div',
        { class: 'incident' },
        make(
          'p',
          {},
          make('strong', {}, moment(from)),
          until === null ? ', going on for ' : ' for ',
          duration(minutes * 60),
          `, ${percent(availability)} available`,
        ),
        make('p', { class: 'soft' }, kinds[kind]),
      ),
    ),
  )
}

/** @type {Status | undefined} */
let shown
/** @type {Span} */
let span = 'quarters'

/** @param {Status} status */
const show = (status) => {
  if (shown?.headline !== status.headline) {
    find('#state', HTMLElement).textContent = status.headline
    find('#state-mark', HTMLElement).className = `mark ${status.status}`
    find('#live', HTMLElement).textContent = shown ? status.headline : ''
  }
  find('#note', HTMLElement).textContent = status.note ?? ''
  find('#fresh', HTMLElement).replaceChildren(
    `As of ${moment(status.generated_at)}. Measured since ${status.measured_since ? moment(status.measured_since) : 'now'}. `,
    make('a', { href: '/status.json' }, 'As JSON'),
  )
  const isSame = shown?.periods.now.until === status.periods.now.until
  shown = status
  if (isSame) return
  showFigures(status)
  showDays(status)
  showCharts(status, span)
  showIncidents(status)
}

const refresh = async () => {
  try {
    const answer = await fetch('/status.json')
    show(await answer.json())
  } catch {
    find('#fresh', HTMLElement).textContent =
      'The figures could not be loaded. The page tries again in ten seconds.'
    if (!shown) find('#state', HTMLElement).textContent = 'Unknown status'
  }
  setTimeout(refresh, refreshMs)
}

for (const radio of document.querySelectorAll('input[name=span]')) {
  radio.addEventListener('change', () => {
    span = /** @type {Span} */ (/** @type {HTMLInputElement} */ (radio).value)
    if (shown) showCharts(shown, span)
  })
}
let drawnWidth = find('#days', HTMLElement).clientWidth
/** Charts are drawn for the width that there is: another one, as of a phone that is turned, draws them anew. */
new ResizeObserver(() => {
  const { clientWidth } = find('#days', HTMLElement)
  if (clientWidth === drawnWidth) return
  drawnWidth = clientWidth
  if (!shown) return
  showDays(shown)
  showCharts(shown, span)
}).observe(find('#days', HTMLElement))
await refresh()
