import { compact, expand } from './compact.ts'
import { formatPairs, parsePairs, splitTarget } from './pairs.ts'

const parameter = 'packed'

/** No value of a valid query contains it. */
const separator = '\0'

/** Packs a query string into one parameter. See docs/decisions/0180-long-links-are-packed.md. */
export const packQuery = (rawQuery: string): string => {
  const texts = parsePairs(rawQuery).flatMap(({ name, value = '' }) => [name, value])
  return `${parameter}=${compact(texts.join(separator)).toString('base64url')}`
}

const unpack = (packed: string): string | undefined => {
  try {
    const texts = expand(Buffer.from(packed, 'base64url')).split(separator)
    const pairs = texts.flatMap((name, index) =>
      index % 2 === 0 ? [[name, texts[index + 1] ?? ''] as const] : [],
    )
    return formatPairs(pairs)
  } catch {
    return undefined
  }
}

/** Returns the target with its packed query written out. Any other target stays as it is. */
export const unpackTarget = (target: string): string => {
  if (!target.includes(`?${parameter}=`)) return target
  const [first, ...others] = parsePairs(splitTarget(target).rawQuery)
  const query = first?.name === parameter && others.length === 0 ? unpack(first.value ?? '') : undefined
  return query === undefined ? target : `${target.slice(0, target.indexOf('?'))}?${query}`
}
