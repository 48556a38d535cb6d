/** An access token and its expiry on the clock `now`. */
export type Token = { value: string; expiresAtMs: number }

export type TokenSource = {
  /** Returns a valid token. Callers that wait for a login share it. */
  get(): Promise<string>
  /**
   * Marks this token as refused, so that the next `get` returns another. Returns false if there cannot be
   * another.
   */
  drop(value: string): boolean
}

/** The token is never renewed. */
export const createFixedToken = (value: string): TokenSource => ({
  get: async () => value,
  drop: () => false,
})

/** The token is renewed this long before its end, in the background. */
const renewAheadMs = 60_000
/** A short-lived token is renewed when this share of its lifetime is left. */
const renewAheadPart = 0.2

/**
 * Keeps a token by logging in when needed. Near its end, `get` still returns the old token while one login
 * fetches the next. Only an expired token makes callers wait. If the login fails, all waiting callers get the
 * error, and the next `get` tries again.
 */
export const createTokenSource = (
  logIn: () => Promise<Token>,
  now: () => number,
): TokenSource & { put(token: Token): void } => {
  let current: (Token & { renewAtMs: number }) | undefined
  let login: Promise<string> | undefined

  const put = (token: Token): void => {
    const lifeMs = token.expiresAtMs - now()
    const aheadMs = Math.min(renewAheadMs, lifeMs * renewAheadPart)
    current = { ...token, renewAtMs: token.expiresAtMs - aheadMs }
  }

  const renew = (): Promise<string> => {
    login ??= logIn()
      .then((token) => {
        put(token)
        return token.value
      })
      .finally(() => {
        login = undefined
      })
    return login
  }

  return {
    /** For a token of another login. */
    put,
    async get() {
      if (!current || now() >= current.expiresAtMs) return renew()
      // Ignores the error: the next `get` that has to wait reports it.
      if (now() >= current.renewAtMs) renew().catch(() => {})
      return current.value
    },
    drop(value) {
      if (current?.value === value) current = undefined
      return true
    },
  }
}
