import { dayMs } from '../config/units.ts'

/** RFC 9116 recommends less than a year. The date moves on each day. */
const validDays = 180

/** Returns security.txt (RFC 9116). `contact`: a `mailto:` or `https:` URL. */
export const securityTxt = (publicUrl: string, contact: string, nowMs: number): string => {
  const expires = new Date((Math.floor(nowMs / dayMs) + validDays) * dayMs)
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString().replace('.000Z', 'Z')}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    '',
  ].join('\n')
}
