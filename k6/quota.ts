import { jsonType } from '../app/http/formats.ts'

/** The part of a quota that a script uses. Its login and its lists of ids need some of the rest. */
const usedPart = 0.8

type Limit = { policy: string; quota: number; window_seconds: number; remaining: number }

const readData = async <T>(answer: Response): Promise<T> => {
  const body = (await answer.json()) as T & { detail?: string }
  if (answer.ok) return body
  throw new Error(
    `${new URL(answer.url).pathname} is refused with status ${answer.status}: ${body.detail ?? ''}`,
  )
}

/**
 * Reads the quota of a key. Returns the requests a second that fit, and the words for it. Rejects if the service does
 * not answer or refuses the key.
 */
export const readQuota = async (
  origin: string,
  apiKey: string,
): Promise<{ mostPerSecond: number; words: string }> => {
  const body = JSON.stringify({ api_key: apiKey })
  const headers = { 'content-type': jsonType }
  const login = await fetch(`${origin}/v1/auth/login`, { method: 'POST', headers, body })
  const { access_token } = await readData<{ access_token: string }>(login)
  const account = await fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${access_token}` } })
  const { data } = await readData<{ data: { plan: string; limits: Limit[] } }>(account)
  const mostPerSecond =
    Math.floor(
      Math.min(...data.limits.map(({ quota, window_seconds }) => quota / window_seconds)) * usedPart * 10,
    ) / 10
  const limits = data.limits.map(({ quota, window_seconds }) => `${quota} in ${window_seconds} s`)
  return { mostPerSecond, words: `this key (plan ${data.plan}) allows ${limits.join(' and ')}` }
}
