import { make } from '../../../site/browser/ui.js'
import { date, number } from '../../../site/browser/units.js'

/** @typedef {{ day: string, endpoint: string, requests: number, not_modified: number, refused: number, bytes: number }} UsageDay */

const dayMs = 86_400_000

/** @param {number} bytes */
export const size = (bytes) => {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** Adds up rows with the same key, in the order of their first row. @param {readonly UsageDay[]} rows @param {'day' | 'endpoint'} key */
export const addUp = (rows, key) => {
  /** @type {Map<string, UsageDay>} */
  const sums = new Map()
  for (const row of rows) {
    const sum = sums.get(row[key]) ?? { ...row, requests: 0, not_modified: 0, refused: 0, bytes: 0 }
    for (const count of /** @type {const} */ (['requests', 'not_modified', 'refused', 'bytes']))
      sum[count] += row[count]
    sums.set(row[key], sum)
  }
  return [...sums.values()]
}

/** @param {string} name @param {Record<string, string | number>} attributes @param {...Node} content */
const shape = (name, attributes, ...content) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  element.append(...content)
  return element
}

/** Even the smallest bar stays visible. @param {string} className @param {number} x @param {number} share of the height */
const bar = (className, x, share) => {
  const height = Math.max(share * 100, 2)
  return shape('rect', { class: className, x: x + 0.12, y: 100 - height, width: 0.76, height })
}

/** @param {readonly string[]} texts */
const words = (texts) => texts.map((text) => make('span', {}, text))

/** A bar for each day from `from` to `until`. @param {readonly UsageDay[]} rows @param {{ from: string, until: string }} counted */
export const usageChart = (rows, { from, until }) => {
  const byDay = new Map(addUp(rows, 'day').map((sum) => [sum.day, sum]))
  const count = (Date.parse(until) - Date.parse(from)) / dayMs + 1
  const days = Array.from({ length: count }, (_, x) => {
    const day = new Date(Date.parse(from) + x * dayMs).toISOString().slice(0, 10)
    const { requests = 0, refused = 0 } = byDay.get(day) ?? {}
    return { name: date.format(new Date(day)), requests, refused }
  })
  const most = Math.max(0, ...days.map(({ requests }) => requests))
  // An even top has a whole number at the middle line.
  const top = Math.max(2, 2 * Math.ceil(most / 2))
  const total = days.reduce((sum, { requests }) => sum + requests, 0)
  const label = `${number(total)} requests in ${count} days, at most ${number(most)} in a day.`
  const lines = [0, 50, 100].map((y) => shape('line', { x2: count, y1: y, y2: y }))
  const bars = days.flatMap(({ requests, refused }, x) => [
    ...(requests > 0 ? [bar('bar', x, requests / top)] : []),
    ...(refused > 0 ? [bar('failed', x, refused / top)] : []),
  ])
  const points = days.map(({ name, requests, refused }, x) => {
    const title = shape('title', {})
    title.textContent = `${name}: ${number(requests)} requests, ${number(refused)} refused`
    return shape('rect', { class: 'point', x, width: 1, height: 100 }, title)
  })
  const frame = { viewBox: `0 0 ${count} 100`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }
  const times = [0, 0.25, 0.5, 0.75, 1].map((share) => days[Math.round(share * (count - 1))]?.name ?? '')
  return make(
    'div',
    { class: 'chart' },
    make(
      'div',
      { class: 'plot middle' },
      make('div', { class: 'scale', 'aria-hidden': 'true' }, ...words([number(top), number(top / 2), '0'])),
      shape('svg', frame, ...lines, ...bars, ...points),
      make('div', { class: 'times', 'aria-hidden': 'true' }, ...words(times)),
    ),
    make(
      'p',
      { class: 'keys' },
      make('span', { class: 'key average' }, 'requests'),
      make('span', { class: 'key off' }, 'of these refused'),
    ),
  )
}
