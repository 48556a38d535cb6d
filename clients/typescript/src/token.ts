/** An access token and until when it is good, by `now`. */
export type Token = { value: string; expiresAtMs: number }

export type TokenSource = {
  /** Returns a valid token. Callers that wait for a login share it. */
  get(): Promise<string>
  /** This token was refused: the next `get` brings another. False: there is no other to be had. */
  drop(value: string): boolean
}

/** A given token, which is not renewed. */
export const createFixedToken = (value: string): TokenSource => ({
  get: async () => value,
  drop: () => false,
})

/** A token that lives this much shorter than it might is renewed beside the requests, not before one. */
const renewAheadMs = 60_000
/** A token with a short life is renewed when this share of its life is left. */
const renewAheadPart = 0.2

/**
 * Keeps a token by logging in when needed. Near its end the old token is still handed out while one login
 * brings the next; only an expired one makes anybody wait. A failed login is everybody's who waits for it,
 * and the next `get` tries again.
 */
export const createTokenSource = (logIn: () => Promise<Token>, now: () => number): TokenSource => {
  let current: (Token & { renewAtMs: number }) | undefined
  let login: Promise<string> | undefined

  const renew = (): Promise<string> => {
    login ??= logIn()
      .then((token) => {
        const lifeMs = token.expiresAtMs - now()
        const aheadMs = Math.min(renewAheadMs, lifeMs * renewAheadPart)
        current = { ...token, renewAtMs: token.expiresAtMs - aheadMs }
        return token.value
      })
      .finally(() => {
        login = undefined
      })
    return login
  }

  return {
    async get() {
      if (!current || now() >= current.expiresAtMs) return renew()
      // The error is ignored here: a caller that needs the next token gets it then.
      if (now() >= current.renewAtMs) renew().catch(() => {})
      return current.value
    },
    drop(value) {
      if (current?.value === value) current = undefined
      return true
    },
  }
}
