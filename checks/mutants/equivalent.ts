/**
 * Mutants that no test can kill, because the code does the same. `before`: the code before the changed place, with single
 * spaces. `mutation`: as the check prints it.
 */
export const equivalents: readonly Readonly<{
  file: string
  before: string
  mutation: string
  reason: string
}>[] = [
  {
    file: 'app/cache/fence.ts',
    before: 'changes = { name, xids: new Set(), newest:',
    mutation: '0 → 1',
    reason: 'PostgreSQL begins to count transactions at 3, and `newest` is only read when there is one.',
  },
  {
    file: 'app/cache/read-through.ts',
    before: 'tick +=',
    mutation: '1 → 2',
    reason:
      'The clock only orders the starts of reads and the arrivals of requests: any step keeps this order.',
  },
  {
    file: 'app/features/custom/check.ts',
    before: ".digest('base64url').slice(",
    mutation: '0 → 1',
    reason:
      'The digest is part of a cache key, where only its difference from the digest of another document matters.',
  },
  {
    file: 'app/identity/signing-keys.ts',
    before: "let covered = { kid: '', untilMs:",
    mutation: '0 → 1',
    reason: 'No key has the empty kid, so the time next to it is never read.',
  },
  {
    file: 'app/identity/tokens.ts',
    before: "const [header = '', claimsSegment = '', signature = ''] = token.split('.',",
    mutation: '3 → 4',
    reason: 'The destructuring reads three segments. The limit only bounds the memory for a hostile token.',
  },
  {
    file: 'app/limits/meters.ts',
    before: 'add(nowMs: number, units: number): void {',
    mutation: 'expire(nowMs) → ;',
    reason:
      'Every function that reads the window expires first, and units never join a part older than 1/50 of the window.',
  },
  {
    file: 'app/features/history/list-statement.ts',
    before: 'sql.lit(limit +',
    mutation: '1 → 2',
    reason: 'The page ends at `limit`, and the state before an entry is computed from newer entries only.',
  },
  {
    file: 'app/records/sql/rows.ts',
    before: '(select f.ids from found f where cardinality(f.ids)',
    mutation: '<= → <',
    reason:
      'It decides which part of `selectMatches` serves exactly `mostLookedUp` matches. Both read the same rows.',
  },
]
