/** The time without use after which the page forgets its token. */
const idleMs = 15 * 60_000
const checkEveryMs = 10_000

export class Refusal extends Error {
  /** @param {number} status @param {{ title?: string, detail?: string }} problem */
  constructor(status, { title, detail }) {
    super(detail ?? title ?? `The service answered ${status}.`)
    this.status = status
    /** Whether `onEnd` has shown the reason. */
    this.isShown = false
  }
}

/** Rejects with a Refusal for an error of the service. @param {string} path @param {RequestInit} options */
const send = async (path, options) => {
  const answer = await fetch(path, { ...options, cache: 'no-store', credentials: 'omit' })
  if (answer.ok) return answer
  throw new Refusal(answer.status, await answer.json().catch(() => ({})))
}

/** @param {string} path @param {string} apiKey */
export const postKey = async (path, apiKey) => {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await send(path, { method: 'POST', headers, body: JSON.stringify({ api_key: apiKey }) })
  return answer.json()
}

/**
 * Keeps a token in memory only. `onEnd` is called when it is forgotten, with the reason for people.
 * @param {(reason: string) => void} onEnd
 */
export const createSession = (onEnd) => {
  /** @type {string | undefined} */
  let token
  let usedAt = 0

  /** @param {string} reason */
  const end = (reason) => {
    if (token === undefined) return
    token = undefined
    onEnd(reason)
  }
  const endIfIdle = () => {
    if (token !== undefined && Date.now() - usedAt >= idleMs) {
      end('15 minutes without use have passed. The token is forgotten: paste the key again.')
    }
  }
  const use = () => {
    // A computer that slept runs no timers. The first click after that must not count as use.
    endIfIdle()
    usedAt = Date.now()
  }
  for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart'])
    addEventListener(type, use, { capture: true, passive: true })
  addEventListener('visibilitychange', endIfIdle)
  // Also when the browser keeps the page to return to it later.
  addEventListener('pagehide', () => end('The page was left. The token is forgotten: paste the key again.'))
  setInterval(endIfIdle, checkEveryMs)

  /** Like `get`, but an expired or revoked token does not end the session. @param {string} path */
  const tryGet = (path) => send(path, { headers: { Authorization: `Bearer ${token}` } })

  return {
    end,
    tryGet,
    isOpen: () => token !== undefined,
    /** @param {string} apiKey */
    async begin(apiKey) {
      const { access_token } = await postKey('/v1/auth/login', apiKey)
      usedAt = Date.now()
      token = access_token
    },
    /** Rejects with a Refusal. An expired or revoked token ends the session. @param {string} path */
    async get(path) {
      try {
        return await tryGet(path)
      } catch (error) {
        if (error instanceof Refusal && error.status === 401) {
          error.isShown = true
          end(`${error.message} Paste the key again.`)
        }
        throw error
      }
    },
  }
}
