import type { preHandlerHookHandler } from 'fastify'
import { ApiError } from '../app/errors.ts'
import type { Principal } from '../app/identity/principal.ts'
import type { Endpoint } from './endpoint.ts'

/** Whether the endpoint exists. Only an existing endpoint tells a client that it lacks a scope. */
const isThere = (error: unknown) => error instanceof ApiError && error.code === 'insufficient_scope'

/** Only who may know of an endpoint has its name written down: what strangers make up is without bound. */
export const admission =
  (row: Endpoint, admit: NonNullable<Endpoint['admit']>): preHandlerHookHandler =>
  (request, _reply, next) => {
    const principal = request.principal as Principal
    const params = request.params as Record<string, string>
    const name = () => {
      request.endpointName = row.nameOf?.(params)
    }
    const accept = () => {
      name()
      next()
    }
    const refuse = (error: Error) => {
      if (isThere(error)) name()
      next(error)
    }
    try {
      const admitted = admit({ principal, params })
      if (admitted instanceof Promise) admitted.then(accept, refuse)
      else accept()
    } catch (error) {
      refuse(error as Error)
    }
  }
