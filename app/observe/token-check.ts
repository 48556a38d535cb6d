import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()
const bearer = /^bearer +(\S+) *$/i

/** Returns a constant-time check of an Authorization header against this token. */
export const createTokenCheck = (token: string) => {
  const expected = digest(token)
  return (authorization: string | undefined): boolean =>
    timingSafeEqual(digest(bearer.exec(authorization ?? '')?.[1] ?? ''), expected)
}
