const dayMs = 86_400_000
/** RFC 9116 recommends less than a year; a service that runs renews it each day. */
const validDays = 180

/** Where to report a weakness (RFC 9116). `contact`: a `mailto:` or `https:` address. */
export const securityTxt = (publicUrl: string, contact: string | undefined, nowMs: number): string => {
  const expires = new Date((Math.floor(nowMs / dayMs) + validDays) * dayMs)
  return [
    `Contact: ${contact ?? `${publicUrl}/access`}`,
    `Expires: ${expires.toISOString().replace('.000Z', 'Z')}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    '',
  ].join('\n')
}
