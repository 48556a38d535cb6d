import { jsonType } from '../../http/formats.ts'
import { readJson, type Send, type ServiceAnswer } from './service.ts'

/** The service or the account cannot be used. The message has the cause and the next step. */
export class CannotVerify extends Error {}

export type Credentials = Readonly<{ apiKey: string } | { demoToken: string }>

export type ServiceAccount = Readonly<{
  token: string
  scopes: readonly string[]
  isDemo: boolean
  /** Values of placeholders. `list`: the path of a list of two or more records, `record`: of the first. */
  values: Readonly<Record<string, string>>
}>

/** Returns the message of an error, or its code. */
export const describeCause = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || 'no answer'
}

const throwRefusal = (request: string, answer: ServiceAnswer): never => {
  const detail = readJson(answer, '/detail') ?? 'no reason given'
  throw new CannotVerify(`${request} is refused with status ${answer.status}: ${detail}`)
}

/** Waits for requests of a step without which nothing can be verified. Throws CannotVerify if one fails. */
export const requireAnswers = async <T>(origin: string, step: Promise<T>): Promise<T> => {
  try {
    return await step
  } catch (error) {
    if (error instanceof CannotVerify) throw error
    throw new CannotVerify(
      `${origin} does not answer: ${describeCause(error)}. Check the address, and that ${origin}/health/ready answers 200`,
    )
  }
}

/** Reads the origin that the service publishes in its API catalog. Throws CannotVerify unless this service answers. */
export const readPublicUrl = async (send: Send, origin: string): Promise<string> => {
  const answer = await requireAnswers(origin, send({ path: '/.well-known/api-catalog' }))
  const anchor = readJson(answer, '/linkset/0/anchor')
  if (typeof anchor === 'string' && anchor.endsWith('/v1')) return anchor.slice(0, -'/v1'.length)
  if (answer.status >= 500) {
    throw new CannotVerify(
      `${origin} answers with status ${answer.status}: the service starts, or its proxy does not reach it. Try again when ${origin}/health/ready answers 200`,
    )
  }
  const code = readJson(answer, '/code')
  if (typeof code === 'string') {
    throw new CannotVerify(
      `${origin} refuses with status ${answer.status} ${code}: ${readJson(answer, '/detail') ?? 'no reason given'}${code === 'tls_required' ? '. Give the https address' : ''}`,
    )
  }
  throw new CannotVerify(
    `${origin} is not this service: it has no address in /.well-known/api-catalog (status ${answer.status}). Check the address`,
  )
}

const logIn = async (send: Send, apiKey: string): Promise<string> => {
  const headers = { 'content-type': jsonType }
  const body = JSON.stringify({ api_key: apiKey })
  const answer = await send({ path: '/v1/auth/login', method: 'POST', headers, body })
  const token = readJson(answer, '/access_token')
  return typeof token === 'string' ? token : throwRefusal('The login', answer)
}

const readScopes = async (send: Send, token: string): Promise<string[]> => {
  const account = await send({ path: '/v1/me', token })
  return (readJson(account, '/data/scopes') as string[] | null) ?? throwRefusal('/v1/me', account)
}

const findList = async (
  send: Send,
  token: string,
  lists: readonly string[],
): Promise<ServiceAccount['values']> => {
  for (const name of lists) {
    const page = await send({ path: `/v1/${name}?limit=1`, token })
    const [id, cursor] = [readJson(page, '/data/0/id'), readJson(page, '/page/next_cursor')]
    if (typeof id !== 'string' || typeof cursor !== 'string') continue
    return { list: `/v1/${name}`, record: `/v1/${name}/${id}`, short: `/${name}/${id}`, cursor }
  }
  return {}
}

const keyValues = (apiKey: string): ServiceAccount['values'] => {
  const keyid = apiKey.split('_')[2] ?? ''
  return { key: apiKey, keyid, basic: Buffer.from(`${keyid}:${apiKey}`).toString('base64') }
}

/**
 * Logs in, reads the scopes and looks for the first list with two records. `lists`: names of resources. Throws
 * CannotVerify if the login or /v1/me is refused.
 */
export const openAccount = async (
  send: Send,
  credentials: Credentials,
  lists: readonly string[],
): Promise<ServiceAccount> => {
  const isDemo = 'demoToken' in credentials
  const token = isDemo ? credentials.demoToken : await logIn(send, credentials.apiKey)
  const scopes = await readScopes(send, token)
  const readable = lists.filter((name) => scopes.includes(`${name}:read`))
  const found = await findList(send, token, readable)
  return { token, scopes, isDemo, values: { ...found, ...(isDemo ? {} : keyValues(credentials.apiKey)) } }
}
