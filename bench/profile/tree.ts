import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Output of `node --cpu-prof`. Times are microseconds of the machine's monotonic clock. */
export type CpuProfile = {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
    children?: number[]
  }[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

/** A function and its callees, merged over all call paths from here. Times are in microseconds. */
export type Frame = { name: string; place: string; self: number; total: number; children: Frame[] }

/** Returns a path of the project, a package's name, or Node's module. '' is the engine. */
export const getPlace = (url: string, root: string): string => {
  if (url === '' || url.startsWith('node:')) return url
  const path = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url)
  const [, inside] = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
  return inside ?? (path.startsWith('..') ? 'elsewhere' : path)
}

/** Names of the engine's own parts. Other frames without a place are C++ functions of Node or V8. */
const engineParts = new Set(['(garbage collector)', '(program)'])

/** Returns the room of a place, such as `app/cache`, `plugins`, a package or `node:http`. */
export const getRoom = (place: string, name: string): string => {
  if (place === '') return engineParts.has(name) ? name : 'native'
  if (place.startsWith('node:'))
    return place.replace(/^node:(internal\/)?/, 'node:').replace(/^(node:[^/]+).*/, '$1')
  if (!place.includes('/') || place.startsWith('@')) return place
  return place
    .split('/')
    .slice(0, place.startsWith('app/') ? 2 : 1)
    .join('/')
}

const idle = '(idle)'

/**
 * Merges the calls between two moments into one tree, heaviest first. Idle time is separate, in microseconds.
 * A sample lasts until the next one, as in Chromium's tools.
 */
export const readProfile = (
  { nodes, samples, timeDeltas, startTime }: CpuProfile,
  root: string,
  from: number,
  to: number,
): { tree: Frame; idle: number } => {
  const selfOf = new Map<number, number>()
  let at = startTime
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0
    const lasts = timeDeltas[index + 1] ?? 0
    if (at >= from && at < to && lasts > 0) selfOf.set(id, (selfOf.get(id) ?? 0) + lasts)
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  let idled = 0
  const build = (ids: readonly number[]): Frame[] => {
    const merged = new Map<string, { frame: Frame; children: number[] }>()
    for (const id of ids) {
      const node = byId.get(id)
      if (!node) continue
      const { functionName, url, lineNumber } = node.callFrame
      const self = selfOf.get(id) ?? 0
      if (functionName === idle) {
        idled += self
        continue
      }
      const path = getPlace(url, root)
      const place = path === '' || path === 'elsewhere' ? path : `${path}:${lineNumber + 1}`
      const key = `${functionName} ${place}`
      const entry = merged.get(key) ?? {
        frame: { name: functionName || '(anonymous)', place, self: 0, total: 0, children: [] },
        children: [],
      }
      entry.frame.self += self
      entry.children.push(...(node.children ?? []))
      merged.set(key, entry)
    }
    return [...merged.values()]
      .map(({ frame, children }) => {
        frame.children = build(children)
        frame.total = frame.self + frame.children.reduce((sum, child) => sum + child.total, 0)
        return frame
      })
      .filter(({ total }) => total > 0)
      .sort((a, b) => b.total - a.total)
  }
  const first = nodes[0]
  const children = build(first?.children ?? [])
  const total = children.reduce((sum, child) => sum + child.total, 0)
  return { tree: { name: 'all', place: '', self: 0, total, children }, idle: idled }
}

/** Returns the time spent in each function or room itself, heaviest first. */
export const selfTimes = (tree: Frame, nameOf: (frame: Frame) => string): [name: string, time: number][] => {
  const times = new Map<string, number>()
  const visit = (frame: Frame) => {
    if (frame.self > 0) times.set(nameOf(frame), (times.get(nameOf(frame)) ?? 0) + frame.self)
    frame.children.forEach(visit)
  }
  visit(tree)
  return [...times].sort((a, b) => b[1] - a[1])
}
