import { z } from 'zod'
import { type Context, findParameter } from './check-templates.ts'
import { bounds, memberName, scalar } from './document.ts'
import type { Place } from './faults.ts'

export type FormCheck<Context, Checked> = (
  given: unknown,
  place: Place,
  context: Context,
  depth: number,
) => Checked | undefined

/** Creates a check of a part that parses it first. */
export const form =
  <Given, Context, Checked>(
    schema: z.ZodType<Given>,
    check: (given: Given, place: Place, context: Context, depth: number) => Checked | undefined,
  ): FormCheck<Context, Checked> =>
  (given, place, context, depth) => {
    const read = place.read(schema, given)
    return read === undefined ? undefined : check(read, place, context, depth)
  }

/** The forms that both members and values have. */
export const fixedForms = {
  const: form(
    z.strictObject({ const: scalar }),
    (given) => ({ kind: 'literal', value: given.const }) as const,
  ),
  param: form(z.strictObject({ param: z.string() }), (given, place, context: Context) => {
    const param = findParameter(given.param, place.at('param'), context)
    return param && ({ kind: 'param', param } as const)
  }),
}

/** Checks the members of an object. Returns the valid ones, in their order. */
export const checkMembers = <Member>(
  given: Readonly<Record<string, unknown>>,
  place: Place,
  check: (value: unknown, place: Place) => Member | undefined,
): (readonly [name: string, member: Member])[] => {
  const names = Object.keys(given)
  if (names.length === 0 || names.length > bounds.members)
    place.addFault(`expected 1 to ${bounds.members} members, got ${names.length}`)
  return names.flatMap((name) => {
    const inner = place.at(name)
    if (inner.read(memberName, name) === undefined) return []
    const member = check(given[name], inner)
    return member ? [[name, member] as const] : []
  })
}
