import type { IncomingMessage } from 'node:http'
import { METHODS } from './node-http.ts'

/** For every method that no route answers. */
const standIn = 'PUT'
const answered = ['GET', 'HEAD', 'OPTIONS', 'POST'] as const

/** The methods that routes are made for: those that some route answers, and one for all others. */
export const routedMethods = [...answered, standIn] as const

type Raw = Pick<IncomingMessage, 'method'>

/** The others that HTTP/1's parser takes; over HTTP/2 those it refuses are left for the router to refuse. */
const others: ReadonlySet<string> = new Set(
  METHODS.filter((method) => method !== 'CONNECT' && !(answered as readonly string[]).includes(method)),
)
const asked = new WeakMap<Raw, string>()

/**
 * Has the router look for one method in place of each that no route answers, so that they are refused by one route a
 * path: one for each of the 35 that Node knows took a tenth of the heap.
 */
export const replaceMethod = (request: Raw): void => {
  const { method = '' } = request
  if (!others.has(method)) return
  asked.set(request, method)
  request.method = standIn
}

/** The method as the client sent it, whatever the router looked for. */
export const methodOf = (request: Raw): string => {
  const { method = '' } = request
  return method === standIn ? (asked.get(request) ?? method) : method
}
