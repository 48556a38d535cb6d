/** Optimal string alignment distance. */
const distance = (a: string, b: string): number => {
  let previous: number[] = []
  let current = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (current[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min(substitution, (current[j] as number) + 1, (next[j - 1] as number) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (previous[j - 2] as number) + 1)
      }
      next.push(best)
    }
    previous = current
    current = next
  }
  return current[b.length] as number
}

const longestName = 64

/** Few for short words: the unrelated `page` and `tags` differ by two. */
const allowedEdits = (length: number): number => (length <= 5 ? 1 : length <= 10 ? 2 : 3)

/**
 * Returns the candidate with the fewest edits, at most half of its length. Whole words of a name (`status` of
 * `approval_status`) count as one edit. `undefined` if no candidate, or more than one, is nearest.
 */
export const findNearest = (input: string, candidates: Iterable<string>): string | undefined => {
  if (input.length === 0 || input.length > longestName) return undefined
  const wanted = input.toLowerCase()
  let best: string | undefined
  let bestDistance = allowedEdits(wanted.length) + 1
  for (const candidate of candidates) {
    const isPart =
      wanted.length > 2 && candidate.split('_').length > 1 && `_${candidate}_`.includes(`_${wanted}_`)
    const edits = isPart ? 1 : distance(wanted, candidate.toLowerCase())
    if (2 * edits > candidate.length || edits > bestDistance) continue
    if (edits < bestDistance) best = candidate
    else if (best !== undefined && candidate !== best) best = undefined
    bestDistance = edits
  }
  return best
}
