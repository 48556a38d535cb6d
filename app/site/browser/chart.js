/** Draws small charts as SVG. It uses no library, no style attribute and nothing from other origins. */

const svgNamespace = 'http://www.w3.org/2000/svg'
const left = 44
/** Below this width half as many times stand under a chart. */
const narrow = 480

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} content
 */
const shape = (name, attributes, ...content) => {
  const element = document.createElementNS(svgNamespace, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  element.append(...content)
  return element
}

/** @param {number} value a round figure not below it */
const roundUp = (value) => {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

/**
 * @typedef {object} Frame
 * @property {number} count points from left to right
 * @property {number} width in the page's pixels, so that words are as large as elsewhere
 * @property {number} height the same, without the line of times
 * @property {string} label what a screen reader says of the chart
 * @property {(index: number) => string} at where on the time axis a point is, in words
 * @property {(index: number | undefined) => void} onPoint told which point is looked at
 */

/**
 * @param {Frame} frame
 * @param {(layer: SVGElement, x: (index: number) => number, step: number) => void} draw
 */
const createFrame = ({ count, width, height, label, at, onPoint }, draw) => {
  const step = (width - left) / count
  const x = (/** @type {number} */ index) => left + index * step
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height + 22}`, role: 'img', 'aria-label': label })
  draw(/** @type {SVGElement} */ (svg), x, step)
  const ticks = width < narrow ? 2 : 4
  for (let i = 0; i <= ticks; i++) {
    const index = Math.min(count - 1, Math.round((i * count) / ticks))
    const anchor = i === 0 ? 'start' : i === ticks ? 'end' : 'middle'
    const place = i === ticks ? width : x(index)
    svg.append(shape('text', { x: place, y: height + 18, 'text-anchor': anchor }, at(index)))
  }
  const cursor = shape('line', { class: 'cursor', y1: 0, y2: height, x1: 0, x2: 0, visibility: 'hidden' })
  svg.append(cursor)
  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect()
    const index = Math.floor((((event.clientX - box.left) / box.width) * width - left) / step)
    const isThere = index >= 0 && index < count
    cursor.setAttribute('visibility', isThere ? 'visible' : 'hidden')
    for (const name of ['x1', 'x2']) cursor.setAttribute(name, String(x(index) + step / 2))
    onPoint(isThere ? index : undefined)
  })
  svg.addEventListener('pointerleave', () => {
    cursor.setAttribute('visibility', 'hidden')
    onPoint(undefined)
  })
  return svg
}

/**
 * @param {SVGElement} svg
 * @param {number} top the greatest value of the axis
 * @param {{ width: number, height: number, format: (value: number) => string }} frame
 */
const drawAxis = (svg, top, { width, height, format }) => {
  for (const share of [0, 0.5, 1]) {
    const y = height - share * height
    svg.append(
      shape('line', { class: 'grid', x1: left, x2: width, y1: y, y2: y }),
      shape('text', { x: left - 8, y: y + 4, 'text-anchor': 'end' }, format(share * top)),
    )
  }
}

/**
 * Lines over time, interrupted where a value is missing.
 * @param {Frame & {
 *   lines: { name: string, values: (number | null)[] }[],
 *   gaps: boolean[],
 *   limit?: number,
 *   format: (value: number) => string,
 * }} options
 */
export const lineChart = (options) => {
  const { lines, gaps, limit, width, height } = options
  const most = Math.max(0, ...lines.flatMap(({ values }) => values.filter((value) => value !== null)))
  // The promise is only drawn where it does not press what was measured to the floor.
  const isLimitNear = limit !== undefined && most > limit / 8
  const top = roundUp(Math.max(most * 1.1, isLimitNear ? limit * 1.1 : 0))
  return createFrame(options, (svg, x, step) => {
    const y = (/** @type {number} */ value) => height - (value / top) * height
    drawAxis(svg, top, options)
    gaps.forEach((isGap, i) => {
      if (isGap) svg.append(shape('rect', { class: 'gap', x: x(i), y: 0, width: step, height }))
    })
    if (isLimitNear) {
      svg.append(shape('line', { class: 'limit', x1: left, x2: width, y1: y(limit), y2: y(limit) }))
    }
    for (const { name, values } of [...lines].reverse()) {
      let path = ''
      values.forEach((value, i) => {
        if (value === null) return
        const point = `${(x(i) + step / 2).toFixed(1)} ${y(value).toFixed(1)}`
        const follows = i > 0 && values[i - 1] !== null
        path += `${follows ? 'L' : 'M'}${point}`
        const isAlone = !follows && (values[i + 1] ?? null) === null
        if (isAlone)
          svg.append(shape('circle', { class: `dot-${name}`, cx: x(i) + step / 2, cy: y(value), r: 2.5 }))
      })
      svg.append(shape('path', { class: name, d: path }))
    }
  })
}

/**
 * Bars over time; the part that failed on top.
 * @param {Frame & { values: number[], failed: number[], gaps: boolean[], format: (value: number) => string }} options
 */
export const barChart = (options) => {
  const { values, failed, gaps, height } = options
  const top = roundUp(Math.max(...values, 1))
  return createFrame(options, (svg, x, step) => {
    drawAxis(svg, top, options)
    values.forEach((value, i) => {
      const size = (value / top) * height
      const bad = ((failed[i] ?? 0) / top) * height
      const bar = { x: x(i) + step * 0.12, width: step * 0.76 }
      if (gaps[i]) svg.append(shape('rect', { class: 'gap', x: x(i), y: 0, width: step, height }))
      svg.append(shape('rect', { class: 'bar', ...bar, y: height - size, height: size }))
      if (bad > 0) {
        const shown = Math.max(bad, 2)
        svg.append(shape('rect', { class: 'failed', ...bar, y: height - size, height: shown }))
      }
    })
  })
}

/**
 * One bar a day, by how available it was; grey where nothing is known.
 * @param {Frame & { tones: string[] }} options
 */
export const dayChart = (options) =>
  createFrame(options, (svg, x, step) => {
    options.tones.forEach((tone, i) => {
      const bar = { x: x(i) + step * 0.1, y: 0, width: step * 0.8, height: options.height, rx: 1.5 }
      svg.append(shape('rect', { class: tone, ...bar }))
    })
  })
