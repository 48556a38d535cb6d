import { tokenGrantRequest, tokenReference } from '../../../schemas/oauth.ts'
import { decodeFormPart, parsePairs } from '../../http/pairs.ts'
import { assertionType } from './client-assertion.ts'
import { OAuthError } from './error.ts'

export type Form = Readonly<Record<string, string>>

/** Parameters of the three endpoints. Others, such as `resource` (RFC 8707), may be repeated and are ignored. */
const knownNames: ReadonlySet<string> = new Set([
  ...Object.keys(tokenGrantRequest.shape),
  ...Object.keys(tokenReference.shape),
])

/** Parses the known parameters of a form (RFC 6749, section 3.2). Ignores empty values. Throws `invalid_request`. */
export const parseForm = (body: string): Form => {
  const form = new Map<string, string>()
  const seen = new Set<string>()
  for (const { name, value } of parsePairs(body)) {
    if (value === undefined) throw new OAuthError('invalid_request', 'The form is not percent-encoded UTF-8')
    if (!knownNames.has(name)) continue
    if (seen.has(name))
      throw new OAuthError('invalid_request', `The parameter ${name} was sent more than once`)
    seen.add(name)
    if (value !== '') form.set(name, value)
  }
  return Object.fromEntries(form)
}

export type Client = Readonly<{ id: string; secret: string } | { id: string | undefined; assertion: string }>

// RFC 6749, section 2.3.1: both halves are form-encoded before they are joined.
const readBasic = (encoded: string): { id: string; secret: string } | undefined => {
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  const id = decodeFormPart(user)
  const secret = decodeFormPart(password)
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

const twice = 'The client authenticated in more than one way'

const readAssertion = (form: Form): string | undefined => {
  const { client_assertion: assertion, client_assertion_type: type } = form
  if (assertion === undefined && type === undefined) return undefined
  if (type !== assertionType) {
    throw new OAuthError('invalid_request', `client_assertion_type must be ${assertionType}`)
  }
  if (assertion === undefined) {
    throw new OAuthError('invalid_request', 'The parameter client_assertion is missing')
  }
  return assertion
}

/** `undefined` if credentials are missing or malformed. Throws `invalid_request`, also for two methods. */
export const readClient = (authorization: string | undefined, form: Form): Client | undefined => {
  const { client_id: id, client_secret: secret } = form
  const assertion = readAssertion(form)
  if (assertion !== undefined) {
    if (authorization !== undefined || secret !== undefined) throw new OAuthError('invalid_request', twice)
    return { id, assertion }
  }
  if (authorization === undefined) return id === undefined ? undefined : { id, secret: secret ?? '' }
  const [, encoded] = /^basic +(\S+)$/i.exec(authorization) ?? []
  const basic = encoded === undefined ? undefined : readBasic(encoded)
  if (secret !== undefined || (id !== undefined && basic && id !== basic.id)) {
    throw new OAuthError('invalid_request', twice)
  }
  return basic
}
