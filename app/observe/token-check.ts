import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()
const bearer = /^bearer +(\S+) *$/i

/**
 * Returns a check whether an Authorization header bears this token. The check takes the same time for every wrong
 * token.
 */
export const createTokenCheck = (token: string) => {
  const expected = digest(token)
  return (authorization: string | undefined): boolean =>
    timingSafeEqual(digest(bearer.exec(authorization ?? '')?.[1] ?? ''), expected)
}
