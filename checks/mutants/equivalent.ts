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
    file: 'app/cache/read-through.ts',
    before: 'tick +=',
    mutation: '1 → 2',
    reason:
      'The clock only orders the starts of reads and the arrivals of requests: any step keeps this order.',
  },
  {
    file: 'app/custom/check.ts',
    before: ".digest('base64url').slice(",
    mutation: '0 → 1',
    reason:
      'The digest is part of a cache key, where only its difference from the digest of another document matters.',
  },
  {
    file: 'app/limits/meters.ts',
    before: 'add(nowMs: number, units: number): void {',
    mutation: 'expire(nowMs) → ;',
    reason:
      'Every function that reads the window expires first, and units never join a part older than 1/50 of the window.',
  },
]
