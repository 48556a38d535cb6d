import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { ApiError } from '../errors.ts'
import { canSendPrepared, headLine, sendPrepared, statusLine } from '../http/prepared.ts'
import { problemBody, problemType } from '../http/problem.ts'
import type { Admission, Release } from './admission.ts'
import type { Turns } from './turns.ts'

export type GuardOptions = {
  admission: Admission
  publicUrl: string
  demoToken: string
  /** What every answer carries. */
  headers: () => Readonly<Record<string, string>>
  /** Told of each request that was refused: whose, as far as that is known. */
  onShed: (kind: 'demo' | 'other') => void
  /** Answers what it can in front of the router; false: it did nothing. */
  answerFast: (request: IncomingMessage, response: ServerResponse) => boolean
  /** For what the router begins. */
  turns: Turns
  /** Whether a request only waits to be refused; see tarpit.ts. */
  isHeld: (request: IncomingMessage) => boolean
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const retryAfterSeconds = '1'
/** Probes and figures tell what is going on: they come through whatever it is. */
const exempt = /^\/(?:health\/(?:live|ready)|metrics)(?:\?|$)/
/** Not from `headers`: Node makes that object when it is first asked for, and it is dear. */
const holderOf = ({ rawHeaders }: IncomingMessage): string => {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 13 && name.toLowerCase() === 'authorization') return rawHeaders[i + 1] as string
  }
  return ''
}
/** A long poll holds nothing while it waits, and whole states have a bound of their own. */
const parked = /^(?:https?:\/\/[^/?#]+)?(?:\/webapi\/v1\/api\.php|\/v1)?\/changes\/?(?:\?|$)/
/** However the path is spelled: the router decodes it as well. */
const isParked = ({ url = '' }: IncomingMessage): boolean => {
  if (!url.includes('%')) return parked.test(url)
  try {
    return parked.test(decodeURI(url))
  } catch {
    return false
  }
}

/** Whether a body is on the way. */
const isArriving = (request: IncomingMessage & { stream?: { endAfterHeaders: boolean } }): boolean =>
  request.method === 'POST' &&
  !request.readableEnded &&
  request.headers['content-length'] !== '0' &&
  !request.stream?.endAfterHeaders

/** A refusal but for its id, which is made for each: a flood is answered with little more than Node's own work. */
const prepareRefusal = (publicUrl: string, headers: Readonly<Record<string, string>>) => {
  const error = new ApiError('overloaded')
  const sample = randomUUID()
  const body = problemBody(error, publicUrl, sample)
  // Bytes, one a character, as they are written.
  const [before = '', after = ''] = Buffer.from(body).toString('latin1').split(sample)
  const fields = {
    ...headers,
    'retry-after': retryAfterSeconds,
    'cache-control': 'no-store',
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
  }
  const { status } = error
  const head =
    statusLine(status) +
    Object.entries(fields)
      .map((field) => headLine(...field))
      .join('')
  return {
    status,
    headOf: (id: string) => head + headLine('request-id', id),
    fieldsOf: (id: string) => ({ 'request-id': id, ...fields }),
    bodyOf: (id: string) => before + id + after,
  }
}

/**
 * Calls once the answer is handed over, or nobody waits for it any more. Not once it is read: then clients that read
 * nothing would fill the room. Over HTTP/2 Fastify writes one that is long in pieces, as it is read; one whose length
 * is known is all there when the first of them is written. Returns whether somebody still waits.
 */
const holdUntilEnded = (response: ServerResponse, isHttp2: boolean, release: Release): (() => boolean) => {
  let isAwaited = true
  // An `end` of its own keeps request and answer, 5 kB, until the next full collection. So Node tells, wherever it does
  // at once: where no other answer of the connection goes out first.
  if (!isHttp2 && response.socket !== null) response.once('prefinish', release)
  else {
    const end = response.end as (...given: unknown[]) => ServerResponse
    response.end = ((...given: unknown[]) => {
      release()
      return end.apply(response, given)
    }) as typeof response.end
  }
  if (isHttp2) {
    const write = response.write as (...given: unknown[]) => boolean
    response.write = ((...given: unknown[]) => {
      if (response.hasHeader('content-length')) release()
      return write.apply(response, given)
    }) as typeof response.write
  }
  response.once('close', () => {
    isAwaited = false
    release(false)
  })
  return () => isAwaited
}

/**
 * Puts itself before whatever answers a server's requests, and refuses with 503 `overloaded` what is too much,
 * before anything of it is looked at: a refusal costs a fraction of an answer, so that answers go on at nearly
 * the rate of before. What the router gets takes turns, so that refusals do not wait for all of it. Call it once the
 * server's listeners are in place.
 */
export const guardServer = (
  server: Pick<Server, 'listeners' | 'removeListener' | 'on'>,
  options: GuardOptions,
) => {
  const { admission, publicUrl, headers, onShed, answerFast, turns, isHeld } = options
  const demo = `Bearer ${options.demoToken}`
  const handlers = server.listeners('request') as Handler[]
  const { status, headOf, fieldsOf, bodyOf } = prepareRefusal(publicUrl, headers())

  const shed = (request: IncomingMessage, response: ServerResponse, isDemo: boolean) => {
    const id = randomUUID()
    const body = request.method === 'HEAD' ? undefined : bodyOf(id)
    // Node sees to what is left of a body.
    if (canSendPrepared(response)) sendPrepared(response, status, headOf(id), body)
    else response.writeHead(status, fieldsOf(id)).end(body, 'latin1')
    onShed(isDemo ? 'demo' : 'other')
  }

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    for (const handler of handlers) handler.call(server, request, response)
  }

  const hold = (request: IncomingMessage, response: ServerResponse, holder: string) => {
    const release = admission.hold(holder)
    return { release, isAwaited: holdUntilEnded(response, request.httpVersionMajor === 2, release) }
  }

  /** Those who wait for their turn fill the room as well. */
  const takeTurn: Handler = (request, response) => {
    const holder = holderOf(request)
    const { release, isAwaited } = hold(request, response, holder)
    turns.take(holder, () => {
      if (!isAwaited()) return
      handle(request, response)
      if (isParked(request) || isHeld(request)) release(false)
    })
  }

  /** Who sends its body slowly, or never, gives us nothing to do: it has a place once all of it is here. */
  const beginArriving: Handler = (request, response) => {
    const onArrived = () => {
      if (!response.writableEnded && !isHeld(request)) hold(request, response, holderOf(request))
    }
    handle(request, response)
    request.once('end', onArrived)
    // Over HTTP/2 a body that was broken off ends, too.
    response.once('close', () => request.off('end', onArrived))
  }

  const guard: Handler = (request, response) => {
    const { url = '' } = request
    if (exempt.test(url)) return handle(request, response)
    if (!admission.hasRoom()) {
      const holder = holderOf(request)
      const isDemo = holder === demo
      if (admission.judge(holder, isDemo) === 'shed') return shed(request, response, isDemo)
    }
    if (answerFast(request, response)) return
    if (isArriving(request)) beginArriving(request, response)
    else takeTurn(request, response)
  }

  for (const handler of handlers) server.removeListener('request', handler)
  server.on('request', guard)
}
