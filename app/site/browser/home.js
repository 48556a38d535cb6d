import { addCopyButton, find, milliseconds, percent } from './ui.js'

/** @type {Record<string, [words: string, tone: string]>} */
const words = {
  operational: ['Everything works.', 'good'],
  degraded: ['Some requests fail at the moment.', 'warn'],
  down: ['The service does not answer correctly.', 'bad'],
  unknown: ['Too few measurements to tell.', 'soft'],
}

for (const box of document.querySelectorAll('.codebox')) addCopyButton(/** @type {HTMLElement} */ (box))

const text = find('#glance-text', HTMLElement)
try {
  const answer = await fetch('/status.json')
  const status = await answer.json()
  const [said, tone] = words[status.status] ?? ['', 'soft']
  text.textContent = said
  text.className = tone
  const cells = find('#glance-cells', HTMLElement)
  find('[data-figure=availability]', HTMLElement, cells).textContent = percent(
    status.periods['30d'].availability,
  )
  find('[data-figure=average]', HTMLElement, cells).textContent = milliseconds(
    status.periods['24h'].latency.average_ms,
  )
  cells.hidden = false
} catch {
  text.textContent = 'The status could not be loaded.'
}
