/** Days relative to the day of the data; `until` null = unlimited. */
type Period = readonly [from: number, until: number | null, basis: 'initial' | 'renewal' | 'extension']

/** What became of a certificate. */
export type Story = { status: string; periods: readonly Period[]; tags: readonly string[] }

const story = (status: string, periods: readonly Period[], ...tags: string[]): Story => ({
  status,
  periods,
  tags,
})

/** Between them every state, every validity and both sides of every boundary of the 90 days' window. */
export const stories = {
  running: story('approved', [[-400, 1060, 'initial']], 'in-force'),
  unlimited: story('approved', [[-700, null, 'initial']], 'in-force'),
  renewedEarly: story(
    'approved',
    [
      [-1700, 35, 'initial'],
      [36, 1860, 'renewal'],
    ],
    'in-force',
    'renewed',
  ),
  extended: story(
    'approved',
    [
      [-900, -170, 'initial'],
      [-169, 195, 'extension'],
    ],
    'in-force',
  ),
  expiring: story('approved', [[-1035, 60, 'initial']], 'renewal-due'),
  expiringSoon: story(
    'approved',
    [
      [-1446, -717, 'initial'],
      [-716, 14, 'renewal'],
    ],
    'renewal-due',
    'urgent',
  ),
  lastDay: story('approved', [[-1095, 0, 'initial']], 'renewal-due', 'urgent'),
  edgeOfWindow: story('approved', [[-1005, 90, 'initial']]),
  beyondWindow: story('approved', [[-1004, 91, 'initial']]),
  expired: story('approved', [[-760, -30, 'initial']], 'lapsed'),
  longExpired: story('approved', [[-2200, -375, 'initial']]),
  upcoming: story('approved', [[21, 1116, 'initial']], 'launch'),
  pending: story('pending', []),
  conditional: story('conditional', [[-60, 305, 'initial']]),
  conditionalExpiring: story('conditional', [[-320, 45, 'initial']], 'renewal-due'),
  rejected: story('rejected', []),
  suspended: story('suspended', [[-500, 595, 'initial']], 'attention'),
  revoked: story('revoked', [[-1300, null, 'initial']], 'attention'),
  withdrawn: story('withdrawn', [[-1500, null, 'initial']]),
  superseded: story('superseded', [[-2500, null, 'initial']]),
} as const satisfies Record<string, Story>

export type StoryName = keyof typeof stories
