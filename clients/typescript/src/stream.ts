import { createStepLimit } from './abort.ts'
import { createEventParser } from './events.ts'
import { type ChangesPage, changesPath, requirePages } from './follow.ts'
import { readBytes } from './lines.ts'
import { withNetworkErrors } from './network-error.ts'
import type { Query } from './query.ts'
import {
  type Failure,
  type RetryEvent,
  type Retrying,
  requireTransient,
  waitBefore,
  waitForRetry,
} from './retry.ts'
import type { Transport } from './transport.ts'
import type { Value } from './types.ts'

const mediaType = 'text/event-stream'
/** The service sends at least a comment in this interval. */
const heartbeatMs = 15_000

/** The position of a reader of the feed, over all its connections. */
type Place = {
  after: Value | readonly Value[] | undefined
  /** The service's wait before the next connection. */
  reconnectMs: number
}

/**
 * Yields the pages of one connection and updates `place`. Throws if the connection fails or is silent for too
 * long.
 */
async function* readConnection(
  transport: Transport,
  query: Query,
  place: Place,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChangesPage, void, undefined> {
  const limit = createStepLimit(transport.timeoutMs + heartbeatMs, signal)
  const path = changesPath({ ...query, after: place.after })
  const answer = await withNetworkErrors(transport.origin, signal, () =>
    limit.step(transport.stream(path, { signal: limit.signal, accept: mediaType })),
  )
  const type = answer.headers.get('content-type') ?? ''
  if (type.split(';')[0]?.trim().toLowerCase() !== mediaType) {
    await answer.body?.cancel()
    throw new Error(`The changes came as "${type}", not as events: does a proxy change them?`)
  }
  const parser = createEventParser()
  for await (const bytes of readBytes(answer, signal, limit.step)) {
    const events = parser.push(bytes)
    place.after = parser.lastEventId || place.after
    place.reconnectMs = parser.retryMs ?? place.reconnectMs
    // Other event types may be added.
    for (const { type, data } of events) if (type === 'message') yield JSON.parse(data)
  }
}

/**
 * Yields pages of the feed as changes occur, until the signal aborts. After the end of a stream it reconnects
 * and continues at the same position. It waits for the time that the service sends, and longer after
 * consecutive failures. Throws the signal's reason, and refusals that waiting cannot cure, such as an expired
 * token.
 */
export async function* streamChanges(
  transport: Transport,
  retry: Retrying,
  query: Query,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChangesPage, void, undefined> {
  requirePages(query)
  const place: Place = { after: query.after, reconnectMs: 0 }
  for (let failures = 0; ; ) {
    signal?.throwIfAborted()
    let failure: Failure & { error?: RetryEvent['error'] } = {}
    try {
      for await (const page of readConnection(transport, query, place, signal)) {
        failures = 0
        yield page
        signal?.throwIfAborted()
      }
    } catch (error) {
      failure = requireTransient(error, signal)
    }
    failures += 1
    const reconnectMs = Math.min(place.reconnectMs, retry.maxDelayMs)
    const waitMs = reconnectMs + waitBefore(failures, failure, retry)
    const path = changesPath({ ...query, after: place.after })
    await waitForRetry({ path, attempt: failures, waitMs, error: failure.error }, retry, signal)
  }
}
