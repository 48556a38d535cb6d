import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()
const bearer = /^bearer +(\S+) *$/i

/** Creates a check of the Authorization header of `/metrics`, in constant time. */
export const createTokenCheck = (token: string) => {
  const expected = digest(token)
  return (authorization: string | undefined): boolean =>
    timingSafeEqual(digest(bearer.exec(authorization ?? '')?.[1] ?? ''), expected)
}
