import { assertionType } from './client-assertion.ts'
import { OAuthError } from './oauth-error.ts'

/** Parameters of a form that have a value; each came once. */
export type Form = ReadonlyMap<string, string>

const decode = (text: string): URLSearchParams => {
  try {
    // URLSearchParams keeps a broken escape and replaces broken UTF-8; this throws at both.
    decodeURIComponent(text)
    return new URLSearchParams(text)
  } catch {
    throw new OAuthError('invalid_request', 'The form is not percent-encoded UTF-8')
  }
}

/**
 * A body of type application/x-www-form-urlencoded (RFC 6749, section 3.2): parameters without a value
 * count as omitted, none may come twice. Throws `invalid_request`.
 */
export const parseForm = (body: string): Form => {
  const form = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of decode(body)) {
    if (seen.has(name)) throw new OAuthError('invalid_request', 'A parameter came more than once')
    seen.add(name)
    if (value !== '') form.set(name, value)
  }
  return form
}

/** The value of a parameter. Throws `invalid_request` where it is missing. */
export const requireParameter = (form: Form, name: string): string => {
  const value = form.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing`)
  return value
}

/** What a client authenticated with: a secret, or a JWT that it signed. */
export type Client = Readonly<{ id: string; secret: string } | { id: string | undefined; assertion: string }>

const decodePart = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

// RFC 6749, section 2.3.1: both halves are form-encoded before they are joined.
const readBasic = (encoded: string): { id: string; secret: string } | undefined => {
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  const id = decodePart(user)
  const secret = decodePart(password)
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

const twice = 'The client authenticated in more than one way'

/** A JWT in the form (RFC 7523, section 2.2); undefined where none came. */
const readAssertion = (form: Form): string | undefined => {
  const assertion = form.get('client_assertion')
  const type = form.get('client_assertion_type')
  if (assertion === undefined && type === undefined) return undefined
  if (type !== assertionType) {
    throw new OAuthError('invalid_request', `client_assertion_type must be ${assertionType}`)
  }
  return requireParameter(form, 'client_assertion')
}

/**
 * What the client says it is, by HTTP Basic, or in the form with a secret or an assertion; undefined where it says nothing that could be
 * understood. Throws `invalid_request` where it says it in two ways (RFC 6749, section 2.3).
 */
export const readClient = (authorization: string | undefined, form: Form): Client | undefined => {
  const id = form.get('client_id')
  const secret = form.get('client_secret')
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
