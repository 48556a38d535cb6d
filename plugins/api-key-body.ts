import type { preValidationHookHandler } from 'fastify'
import { ApiError } from '../app/errors.ts'

// RFC 7617. The key is the user, or the password if the user is empty or the key's id. '' is no valid key.
const readBasic = (encoded: string): string => {
  const decoded = Buffer.from(encoded, 'base64').toString()
  const [, user = '', password = ''] = (/^([^:]*):(.*)$/s.exec(decoded) ?? []).map((part) => part.trim())
  if (password === '') return user
  if (user === '') return password
  return password.startsWith(`cda_live_${user}_`) ? password : ''
}

/** The detail of an answer to an invalid body. */
export const apiKeyHint = 'Send {"api_key": "…"} as JSON, or the key by HTTP Basic.'

/** A hook for routes with the body `loginRequest`: the key may be sent by HTTP Basic instead. */
export const readBasicAsBody: preValidationHookHandler = (request, _reply, next) => {
  const [, basic] = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (basic === undefined) return next()
  if (Object.keys(request.body ?? {}).length > 0) {
    throw new ApiError('invalid_body', {
      detail: 'The key was sent by HTTP Basic: send no body.',
      errors: [{ pointer: '', code: 'invalid_value', detail: 'expected no body with HTTP Basic' }],
    })
  }
  request.body = { api_key: readBasic(basic) }
  next()
}
