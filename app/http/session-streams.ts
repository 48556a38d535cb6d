import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2'
import type { Upper } from './unread.ts'

/** At least the size of a PING or SETTINGS acknowledgement in a TLS record of its own. */
const controlFrameBytes = 64

type Watched = {
  readonly openedAt: number
  bufferSize: number
  /** Since when `bufferSize` has not changed. */
  unchangedSince: number
  wasClosed: boolean
}

const hasWholeRequest = ({ state }: ServerHttp2Stream): boolean => state.remoteClose !== 0

/** If its client reset it without an error, a stream keeps unsent data until it is destroyed. */
const end = (stream: ServerHttp2Stream): void => {
  if (stream.closed) stream.destroy()
  else stream.close(constants.NGHTTP2_CANCEL)
}

/**
 * Watches a session, whose PINGs restart Node's own timeouts. `look` also ends streams whose request takes
 * longer than `requestMs`, and a session without streams after `idleMs`.
 */
export const watchSession = (
  session: Http2Session,
  { requestMs, idleMs }: { requestMs: number; idleMs: number },
): Upper => {
  const streams = new Map<ServerHttp2Stream, Watched | undefined>()
  let controlFrames = 0
  let wasActive = true
  let idleSince = 0
  let hasSaidGoodbye = false
  const countControlFrame = () => {
    controlFrames += 1
  }
  session.on('stream', (stream) => {
    wasActive = true
    // Most streams end before the next sweep.
    streams.set(stream, undefined)
    stream.once('close', () => streams.delete(stream))
  })
  session.on('ping', countControlFrame)
  session.on('remoteSettings', countControlFrame)

  const lookAtStream = (stream: ServerHttp2Stream, nowMs: number): boolean => {
    const { bufferSize, closed: wasClosed } = stream
    const watched = streams.get(stream)
    if (!watched) {
      streams.set(stream, { openedAt: nowMs, bufferSize, unchangedSince: nowMs, wasClosed })
      return bufferSize > 0
    }
    if (bufferSize !== watched.bufferSize) {
      watched.bufferSize = bufferSize
      watched.unchangedSince = nowMs
    }
    if (watched.wasClosed || (nowMs - watched.openedAt >= requestMs && !hasWholeRequest(stream))) end(stream)
    watched.wasClosed = wasClosed
    return bufferSize > 0
  }
  const closeIdle = (nowMs: number): void => {
    if (streams.size > 0 || wasActive) {
      wasActive = false
      idleSince = nowMs
    } else if (nowMs - idleSince >= idleMs) leave()
  }
  /** Gives the client the time until the next sweep to close the connection after GOAWAY. */
  const leave = (): void => {
    if (hasSaidGoodbye) session.destroy()
    else session.close()
    hasSaidGoodbye = true
  }
  return {
    look(nowMs: number): number {
      closeIdle(nowMs)
      let held = 0
      for (const stream of streams.keys()) if (lookAtStream(stream, nowMs)) held += 1
      return held
    },
    endStalled(nowMs: number, limitMs: number): boolean {
      let left = 0
      for (const [stream, watched] of streams) {
        if (watched && watched.bufferSize > 0 && nowMs - watched.unchangedSince >= limitMs) end(stream)
        else left += 1
      }
      if (left > 0) return false
      leave()
      return true
    },
    isInUse: (): boolean => streams.keys().some(hasWholeRequest),
    getUnsentBytes: (): number => {
      let bytes = 0
      for (const { writableLength } of streams.keys()) bytes += writableLength
      return bytes
    },
    getControlBytes: (): number => controlFrames * controlFrameBytes,
  }
}
