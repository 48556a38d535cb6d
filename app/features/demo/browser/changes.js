import { make } from '../../../site/browser/ui.js'
import { date, moment, number } from '../../../site/browser/units.js'
import { collectNames, toWords } from './names.js'
import { columns } from './pictures.js'

/** @typedef {Record<string, any>} Row */

const dayMs = 86_400_000
const shownDays = 28

/** @type {import('./table.js').Question} */
export const changes = {
  key: 'changes',
  targets: [
    `/v1/history?resource=approvals&since=today-${shownDays - 1}d&limit=500`,
    '/v1/approvals?fields=product_id,country_code&include=product,country&limit=500',
  ],
  columns: [
    {
      title: 'At (UTC)',
      of: (row) => moment(row.at).replace(' UTC', ''),
      instant: (row) => row.at,
    },
    {
      title: 'Product and country',
      of: (row) => make('a', { href: `#history/approvals/${row.id}` }, row.name),
    },
    { title: 'From', of: (row) => toWords(row.from) },
    { title: 'To', of: (row) => toWords(row.to) },
  ],
  show([history, current]) {
    const { product, country } = collectNames([current])
    const names = new Map(
      current.data.map((/** @type {Row} */ row) => [row.id, `${product(row)}, ${country(row)}`]),
    )
    const records = history.data.flatMap((/** @type {Row} */ { id, at, op, changes }) =>
      op === 'update' && changes.status ? [{ id, at, name: names.get(id) ?? id, ...changes.status }] : [],
    )
    const today = Math.floor(Date.now() / dayMs)
    const bars = Array.from({ length: shownDays }, (_, i) => {
      const day = today - shownDays + 1 + i
      const count = records.filter(
        (/** @type {Row} */ row) => Math.floor(Date.parse(row.at) / dayMs) === day,
      ).length
      const name = date.format(day * dayMs)
      return { key: day === today ? 'today' : name, name: day === today ? 'today' : name, count }
    })
    const [last] = records
    const words = last
      ? `Approvals took ${number(records.length)} steps. The last one: ${last.name}, ${toWords(last.from)} → ${toWords(last.to)}, on ${moment(last.at)}.`
      : 'No approval took a step.'
    return { words, records, picture: columns('Steps of approvals by day, UTC', bars) }
  },
}
