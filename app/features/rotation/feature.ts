import type { Feature } from '../../feature.ts'

/** A customer exchanges its API key for a new one, at `/v1/me/keys/rotate`. */
export const rotation: Feature = {
  name: 'rotation',
  verifyFolder: new URL('./verify/', import.meta.url),
}
