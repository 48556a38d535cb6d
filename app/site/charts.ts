import { type Html, html } from './escape.ts'

/** Points from left to right, and the words around them. */
type Frame = Readonly<{
  /** The chart in a sentence, for screen readers. */
  label: string
  /** The tooltip of each point. */
  titles: readonly string[]
  /** Words below the first and the last point, and three between them. */
  times: readonly string[]
  /** Words beside the top, the middle and the bottom. */
  scale?: readonly [string, string, string]
  /** Class and name of each colour. */
  keys: readonly (readonly [string, string])[]
  /** How much of the page the chart takes. */
  size: 'low' | 'middle' | 'high'
}>

const shown = (value: number) => Math.round(value * 100) / 100

/** Returns the height of a value, downwards from the top, between 0 and 100. */
const heightOf = (value: number, top: number) => shown(100 - (value / top) * 100)

/** Returns a round number that is not below a positive value. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

const bar = (className: string, x: number, y: number, height: number, gap = 0.12) =>
  html`<rect class="${className}" x="${x + gap}" y="${shown(y)}" width="${shown(1 - 2 * gap)}" height="${shown(height)}"/>`

/** The shapes stretch with the page. Words are HTML, so that they keep their size. */
const frame = ({ label, titles, times, scale, keys, size }: Frame, shapes: readonly Html[]): Html => {
  const grid = scale?.map((_, i) => html`<line x2="${titles.length}" y1="${i * 50}" y2="${i * 50}"/>`)
  const points = titles.map(
    (title, x) => html`<rect class="point" x="${x}" width="1" height="100"><title>${title}</title></rect>`,
  )
  const words = (list: readonly string[]) => list.map((each) => html`<span>${each}</span>`)
  return html`<div class="chart"><div class="plot ${size}">
<div class="scale" aria-hidden="true">${words(scale ?? [])}</div>
<svg viewBox="0 0 ${titles.length} 100" preserveAspectRatio="none" role="img" aria-label="${label}">${grid}${shapes}${points}</svg>
<div class="times" aria-hidden="true">${words(times)}</div></div>
<p class="keys">${keys.map(([className, name]) => html`<span class="key ${className}">${name}</span>`)}</p></div>`
}

/** Returns a chart with a whole bar for each point. `tones`: the class of each bar. */
export const toneChart = (options: Frame & Readonly<{ tones: readonly string[] }>): Html =>
  frame(
    options,
    options.tones.map((tone, x) => bar(tone, x, 0, 100, 0.1)),
  )

/** Returns a chart with a bar for each point, whose failed part is in another colour. */
export const barChart = (
  options: Omit<Frame, 'scale'> &
    Readonly<{
      values: readonly number[]
      failed: readonly number[]
      gaps: readonly Html[]
      format: (value: number) => string
    }>,
): Html => {
  const { values, failed, gaps, format } = options
  const top = roundUp(Math.max(...values, 1))
  const bars = values.flatMap((value, x) => {
    if (value === 0) return []
    const y = heightOf(value, top)
    const bad = failed[x] ?? 0
    // A single failure among thousands stays visible.
    const failure = bad > 0 ? bar('failed', x, y, Math.max(100 - heightOf(bad, top), 2)) : undefined
    return [bar('bar', x, y, 100 - y), ...(failure ? [failure] : [])]
  })
  return frame({ ...options, scale: [format(top), format(top / 2), format(0)] }, [...gaps, ...bars])
}

/** Returns the marks of points without a measurement, for the background of a chart. */
export const gapMarks = (isGap: readonly boolean[]): Html[] =>
  isGap.flatMap((missing, x) => (missing ? [bar('gap', x, 0, 100, 0)] : []))

/** Returns a chart of lines over time. A line is interrupted at null. `limit`: a promise, in the unit of the values. */
export const lineChart = (
  options: Omit<Frame, 'scale'> &
    Readonly<{
      lines: readonly { name: string; values: readonly (number | null)[] }[]
      limit: number
      gaps: readonly Html[]
      format: (value: number) => string
    }>,
): Html => {
  const { lines, limit, gaps, format } = options
  const most = Math.max(0, ...lines.flatMap(({ values }) => values.filter((value) => value !== null)))
  // A promise far above all values would press them to the floor.
  const isLimitNear = most > limit / 8
  const top = roundUp(Math.max(most * 1.1, isLimitNear ? limit * 1.1 : 1))
  const y = heightOf(limit, top)
  const promise = isLimitNear
    ? [html`<line class="limit" x2="${options.titles.length}" y1="${y}" y2="${y}"/>`]
    : []
  const paths = lines.map(({ name, values }) => {
    const points = values.map((value, x) => {
      if (value === null) return ''
      const isStart = (values[x - 1] ?? null) === null
      // A line of no length: a point without neighbours is a dot.
      return `${isStart ? 'M' : 'L'}${x + 0.5} ${heightOf(value, top)}${isStart ? 'h0' : ''}`
    })
    return html`<path class="${name}" d="${points.join('')}"/>`
  })
  return frame({ ...options, scale: [format(top), format(top / 2), '0'] }, [...gaps, ...promise, ...paths])
}
