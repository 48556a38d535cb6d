import type { Feature } from '../../feature.ts'
import type { AddressKey } from '../../identity/address-keys.ts'

export const calendarKey: AddressKey = {
  name: 'calendar',
  description: 'make an address for calendar programs instead, which shows the ends of certificates only',
  scope: 'calendar:read',
  path: '/v1/calendar/*.ics',
}

/** The ends of certificates as a calendar (RFC 5545), also at an address for programs that send no header. */
export const calendar: Feature = {
  name: 'calendar',
  guides: [{ name: 'calendar', audience: 'integrators' }],
  verifyFolder: new URL('./verify/', import.meta.url),
  addressKey: calendarKey,
}
