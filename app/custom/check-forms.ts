import type { z } from 'zod'
import type { Context } from './check-templates.ts'
import { bounds, memberName } from './document.ts'
import type { Path } from './faults.ts'

export type Checkers<Shapes extends Record<string, z.ZodType>, Around, Checked> = {
  [Name in keyof Shapes]: (
    given: z.output<Shapes[Name]>,
    path: Path,
    around: Around,
    depth: number,
  ) => Checked | undefined
}

/** Parses a part in the form `name` and checks it. Returns `undefined` after a fault. */
export const checkForm = <Shapes extends Record<string, z.ZodType>, Around extends Context, Checked>(
  shapes: Shapes,
  checkers: Checkers<Shapes, Around, Checked>,
  name: keyof Shapes,
  given: unknown,
  path: Path,
  around: Around,
  depth: number,
): Checked | undefined => {
  const read = around.faults.read(shapes[name] as z.ZodType<z.output<Shapes[keyof Shapes]>>, given, path)
  return read === undefined ? undefined : checkers[name](read, path, around, depth)
}

/** Checks the members of an object. Returns the valid ones, in their order. */
export const checkMembers = <Member>(
  given: Readonly<Record<string, unknown>>,
  path: Path,
  { faults }: Context,
  check: (value: unknown, place: Path) => Member | undefined,
): (readonly [name: string, member: Member])[] => {
  const names = Object.keys(given)
  if (names.length === 0 || names.length > bounds.members)
    faults.add(path, `expected 1 to ${bounds.members} members, got ${names.length}`)
  return names.flatMap((name) => {
    const place = [...path, name]
    if (faults.read(memberName, name, place) === undefined) return []
    const member = check(given[name], place)
    return member ? [[name, member] as const] : []
  })
}
