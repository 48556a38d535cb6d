import { readFileSync } from 'node:fs'
import { metricsToken, type Server } from '../lib/processes.ts'

/** MiB. `NaN` if unknown. */
export type Memory = {
  resident: number
  /** Of V8: reserved for objects, and used by them, with garbage that is not collected yet. */
  heap: number
  heapUsed: number
  /** Old objects, and objects that V8 has not yet seen survive. */
  oldUsed: number
  newUsed: number
  /** Bytes of buffers, also of garbage. */
  external: number
  cache: number
  /** Resident memory of the C library's allocator, which has the buffers, and of the program's files. */
  malloc: number
  files: number
}

const toMib = (bytes: number) => bytes / 2 ** 20

const readMetric = (text: string, name: string, labels = ''): number =>
  toMib(
    Number(new RegExp(`^${name}${labels || '(?:\\{[^}]*\\})?'} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN),
  )

/** glibc's arenas of other threads begin at multiples of this size, see malloc/arena.c. */
const arenaBytes = 64 * 2 ** 20

type Kind = 'malloc' | 'files' | 'other'

/** `line`: the first line of a mapping, see proc_pid_smaps(5). */
const getKind = (line: string): Kind | undefined => {
  const mapping = /^([0-9a-f]+)-[0-9a-f]+ (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line)
  if (!mapping) return undefined
  const [, start = '', rights, name = ''] = mapping
  if (name === '[heap]') return 'malloc'
  if (name.startsWith('/')) return 'files'
  return name === '' && rights === 'rw-p' && Number.parseInt(start, 16) % arenaBytes === 0
    ? 'malloc'
    : 'other'
}

const readMappings = (pid: number): Record<Kind, number> => {
  const sums = { malloc: 0, files: 0, other: 0 }
  let kind: Kind = 'other'
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    kind = getKind(line) ?? kind
    sums[kind] += Number(/^Rss:\s+(\d+) kB/.exec(line)?.[1] ?? 0) / 1024
  }
  return sums
}

/** Reads where a service's memory is, from its metrics and from `/proc`, which only Linux has. */
export const readMemory = async ({ url, pid }: Server): Promise<Memory> => {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${url}/metrics`, { headers })).text()
  const space = (name: string) =>
    readMetric(text, 'nodejs_heap_space_size_used_bytes', `\\{space="${name}"\\}`)
  const { malloc, files } = readMappings(pid)
  return {
    resident: readMetric(text, 'process_resident_memory_bytes'),
    heap: readMetric(text, 'nodejs_heap_size_total_bytes'),
    heapUsed: readMetric(text, 'nodejs_heap_size_used_bytes'),
    oldUsed: space('old'),
    newUsed: space('new'),
    external: readMetric(text, 'nodejs_external_memory_bytes'),
    cache: readMetric(text, 'certdata_memory_cache_bytes'),
    malloc,
    files,
  }
}
