import type { Feature } from '../../feature.ts'

/** Customers read their API keys and their usage by API, and at `/account`. */
export const account: Feature = {
  name: 'account',
  guides: [{ name: 'account', audience: 'integrators' }],
}
