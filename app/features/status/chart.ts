import { type Html, html } from '../../site/escape.ts'

type Chart = Readonly<{
  size: 'low' | 'middle' | 'high'
  label: string
  titles: readonly string[]
  /** Five labels, from the first point to the last. */
  times: readonly string[]
  scale?: readonly [string, string, string]
  keys: Readonly<Record<string, string>>
}>

const rounded = (value: number) => Math.round(value * 100) / 100

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. `value` is positive. */
export const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

/**
 * Returns a chart whose shapes stretch with the page. Its labels are HTML, because text in a stretched SVG is
 * distorted. A point is one unit wide, and the chart is 100 units high.
 */
export const chart = ({ size, label, titles, times, scale, keys }: Chart, shapes: readonly Html[]): Html => {
  const grid = scale?.map((_, i) => html`<line x2="${titles.length}" y1="${i * 50}" y2="${i * 50}"/>`)
  const points = titles.map(
    (title, x) => html`<rect class="point" x="${x}" width="1" height="100"><title>${title}</title></rect>`,
  )
  const words = (list: readonly string[]) => list.map((each) => html`<span>${each}</span>`)
  return html`<div class="chart"><div class="plot ${size}">
<div class="scale" aria-hidden="true">${words(scale ?? [])}</div>
<svg viewBox="0 0 ${titles.length} 100" preserveAspectRatio="none" role="img" aria-label="${label}">${grid}${shapes}${points}</svg>
<div class="times" aria-hidden="true">${words(times)}</div></div>
<p class="keys">${Object.entries(keys).map(([className, name]) => html`<span class="key ${className}">${name}</span>`)}</p></div>`
}

/** Returns a bar. `share`: its part of the height; even the smallest stays visible. */
export const bar = (className: string, x: number, share: number, margin = 0.12): Html => {
  const height = rounded(Math.max(share * 100, 2))
  return html`<rect class="${className}" x="${rounded(x + margin)}" y="${rounded(100 - height)}" width="${1 - 2 * margin}" height="${height}"/>`
}

/** Returns a horizontal line. `share`: its part of the height. */
export const level = (className: string, count: number, share: number): Html => {
  const y = rounded(100 - share * 100)
  return html`<line class="${className}" x2="${count}" y1="${y}" y2="${y}"/>`
}

/** Returns a line through shares of the height. It is interrupted at null. */
export const curve = (className: string, shares: readonly (number | null)[]): Html => {
  const steps = shares.map((share, x) => {
    if (share === null) return ''
    const isStart = (shares[x - 1] ?? null) === null
    // `h0`: SVG shows a point without neighbours only if it has a line, here one of length zero.
    return `${isStart ? 'M' : 'L'}${x + 0.5} ${rounded(100 - share * 100)}${isStart ? 'h0' : ''}`
  })
  return html`<path class="${className}" d="${steps.join('')}"/>`
}
