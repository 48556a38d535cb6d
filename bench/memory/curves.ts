import { toEntities } from '../lib/html.ts'

const [width, height] = [900, 260]
const colours = ['#d9822b', '#3d7ea6', '#2f9e6e']

/** Draws curves in MiB over seconds as SVG, with lines at the goal and at the end of the warm-up. */
export const drawCurves = (
  seconds: readonly number[],
  curves: Readonly<Record<string, readonly number[]>>,
  { goal, warmSeconds }: { goal: number; warmSeconds: number },
): string => {
  const highest = 1.1 * Math.max(goal, ...Object.values(curves).flat())
  const last = Math.max(1, ...seconds)
  const x = (value: number) => ((value / last) * width).toFixed(1)
  const y = (value: number) => (height - (value / highest) * height).toFixed(1)
  const lines = Object.entries(curves).map(([name, values], index) => {
    const points = values.map((value, at) => `${x(seconds[at] ?? 0)},${y(value)}`).join(' ')
    const colour = colours[index % colours.length]
    const label = `<text x="8" y="${18 + 18 * index}" fill="${colour}">${toEntities(name)}</text>`
    return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5"/>${label}`
  })
  const dashed = 'stroke="currentColor" stroke-dasharray="3 4" opacity=".6"'
  const marks = `<path d="M0 ${y(goal)}H${width}" ${dashed}/><text x="${width - 4}" y="${Number(y(goal)) - 5}" text-anchor="end" fill="currentColor">${goal} MiB</text>
<path d="M${x(warmSeconds)} 0V${height}" ${dashed}/>`
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Memory over time" style="width:100%;font:13px system-ui">${marks}${lines.join('\n')}</svg>`
}
