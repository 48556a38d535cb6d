import { type Import, listImports, readSources } from './graph.ts'
import { getRoom, isAbove, type Room, rooms } from './rooms.ts'

// Prints measures of the code's structure as a table. Exits with 1 if a room imports from a room above it.
// `--passed` adds the number of files that a request passes.

const sources = readSources(['app', 'plugins', 'routes', 'schemas'])
const between = sources.flatMap(listImports).flatMap((each): (Import & { upper: Room; lower: Room })[] => {
  const [upper, lower] = [getRoom(each.from), getRoom(each.to)]
  return upper && lower && upper !== lower ? [{ ...each, upper, lower }] : []
})

/** Finds rooms that import each other in a circle at run time. Type imports do not count. */
const findCycle = (): Room[] => {
  const below = new Map(rooms.map((room) => [room, new Set<Room>()]))
  for (const { upper, lower, isType } of between) if (!isType) below.get(upper)?.add(lower)
  const reaches = (from: Room, to: Room, seen = new Set<Room>()): boolean =>
    [...(below.get(from) ?? [])].some(
      (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
    )
  return rooms.filter((room) => reaches(room, room))
}

const up = between.filter(({ upper, lower }) => !isAbove(upper, lower))
const code = sources.filter(({ path }) => !path.includes('/migrations/'))
const longer = (lines: number) => code.filter((file) => file.lines > lines)
const folders = new Set(
  sources.filter(({ path }) => /^app\/[^/]+\//.test(path)).map(({ path }) => path.split('/')[1]),
)
const loose = sources.filter(({ path }) => /^app\/[^/]+$/.test(path))
const listLines = (path: string) => sources.find((file) => file.path === path)?.lines ?? 0

const figures = {
  'folders in app/': folders.size,
  'loose files in app/': loose.map(({ path }) => path.slice(4)).join(' '),
  'rooms in circles of imports': findCycle().join(' ') || 'none',
  'imports between rooms': between.length,
  'imports that go up': up.length,
  'arrows between rooms': new Set(between.map(({ upper, lower }) => `${upper} ${lower}`)).size,
  'lines of app/app.ts': listLines('app/app.ts'),
  'source files': sources.length,
  'source lines': sources.reduce((sum, { lines }) => sum + lines, 0),
  'files over 150 lines': longer(150).length,
  'files over 200 lines':
    longer(200)
      .map(({ path }) => path)
      .join(' ') || 'none',
}
for (const [what, figure] of Object.entries(figures)) process.stdout.write(`${what.padEnd(30)}${figure}\n`)
for (const { from, to } of up) process.stdout.write(`up: ${from} → ${to}\n`)
process.exitCode = up.length > 0 ? 1 : 0
if (process.argv.includes('--passed')) await import('./passed.ts')
