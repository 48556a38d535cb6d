import type { Feature } from '../../feature.ts'

/** Exports, imports and erases a customer with all data, also those of other features. */
export const personalData: Feature = {
  name: 'personal-data',
  commands: { customers: () => import('./commands.ts') },
  guides: [{ name: 'personal-data', audience: 'operators' }],
}
