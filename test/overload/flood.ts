import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { watchDisturbances } from './undisturbed.ts'

export type Flow = {
  port: number
  /** Requests a second, however long answers take; undefined: one after another on each connection. */
  perSecond?: number
  seconds: number
  /**
   * Of these: what is answered before is not part of the rate, as what is under way at the end is not; absent: 0.
   * Latencies are of all that is asked.
   */
  leadSeconds?: number
  /** Connections at most. */
  connections: number
  /** Milliseconds from one look at what is due to the next; absent: 5. */
  tickMs?: number
  /** That of the service, where it has one to itself: what disturbs it is told then; absent: all cores. */
  core?: number
}

export type FloodOptions = Flow & {
  /** The n-th request: its path, and what it bears. */
  request: (n: number) => { path: string; authorization?: string | undefined }
}

/** Times of one status are in order of size, in milliseconds. */
export type Figures = {
  /** For which answers are counted: those before are the lead. */
  seconds: number
  /** Answers by status that came after the lead and before the end: what went on at that rate. */
  inTime: Record<string, number>
  /** From when each was due. */
  latencies: Record<string, number[]>
  /** Those among them whose connection was made for them: the time to be taken by the service is in it. */
  onNew: Record<string, number[]>
  /** Those whose connection had been answered before, from when the request was written. */
  onKept: Record<string, number[]>
  /** From when each was due to when it was written: how late this client itself was. */
  lateness: number[]
}

export type FloodResult = Figures & {
  /**
   * By status; `unsent`: no connection was free, which is too late as well; `cut`: the connection ended in place of an
   * answer; `unanswered`: nor did one come within three seconds of the end.
   */
  counts: Record<string, number>
  /** Answers 503 that do not say when to come back. */
  withoutRetryAfter: number
  /** Milliseconds between the lead and the end that the core, or all of them together, was away. */
  stolenMs: number
  /** Of the moments that nothing disturbed; see undisturbed.ts. */
  undisturbed: Figures
}

type Sent = { dueAt: number; writtenAt: number; isFirst: boolean }
type Answer = Sent & { status: string; answeredAt: number }

const add = (lists: Record<string, number[]>, name: string, value: number): void => {
  lists[name] ??= []
  lists[name].push(value)
}

type Span = { countsFrom: number; endsAt: number; seconds: number }

/** Figures of what was due, and answered, when `counts` says that it counts. */
const summarise = (
  sent: readonly Sent[],
  answers: readonly Answer[],
  { countsFrom, endsAt, seconds }: Span,
  counts: (at: number) => boolean,
): Figures => {
  const figures: Figures = { seconds, inTime: {}, latencies: {}, onNew: {}, onKept: {}, lateness: [] }
  for (const { status, dueAt, writtenAt, answeredAt, isFirst } of answers) {
    if (answeredAt >= countsFrom && answeredAt < endsAt && counts(answeredAt))
      figures.inTime[status] = (figures.inTime[status] ?? 0) + 1
    if (!counts(dueAt)) continue
    add(figures.latencies, status, answeredAt - dueAt)
    add(isFirst ? figures.onNew : figures.onKept, status, answeredAt - writtenAt)
  }
  for (const { dueAt, writtenAt } of sent) if (counts(dueAt)) figures.lateness.push(writtenAt - dueAt)
  const { latencies, onNew, onKept, lateness } = figures
  for (const lists of [latencies, onNew, onKept, { lateness }])
    for (const each of Object.values(lists)) each.sort((a, b) => a - b)
  return figures
}

/** After the end: what is still under way is waited for. */
const graceMs = 3_000

/** Calls with the status of each answer; a keep-alive HTTP/1.1 client that costs a few microseconds a request. */
const openConnection = (
  port: number,
  onAnswer: (socket: Socket, status: string, head: string) => void,
): Socket => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    for (;;) {
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = text.slice(0, end)
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      const status = text.slice(9, 12)
      text = text.slice(end + 4 + length)
      onAnswer(socket, status, head)
    }
  })
  return socket
}

/** Floods a port and counts what comes back. */
export const flood = async (options: FloodOptions): Promise<FloodResult> => {
  const { port, perSecond, seconds, leadSeconds = 0, connections, request, tickMs = 5, core } = options
  const counts: Record<string, number> = {}
  const written: Sent[] = []
  const answers: Answer[] = []
  const idle: Socket[] = []
  const sent = new Map<Socket, Sent>()
  const sockets = new Set<Socket>()
  const watch = watchDisturbances(core)
  const startedAt = performance.now()
  const countsFrom = startedAt + leadSeconds * 1000
  const endsAt = startedAt + seconds * 1000
  let stolenBeforeMs: number | undefined
  let n = 0
  let withoutRetryAfter = 0

  const note = (status: string) => {
    counts[status] = (counts[status] ?? 0) + 1
  }
  const send = (socket: Socket, dueAt: number) => {
    const { path, authorization } = request(n)
    n += 1
    const one = { dueAt, writtenAt: performance.now(), isFirst: socket.bytesWritten === 0 }
    written.push(one)
    sent.set(socket, one)
    const bears = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${bears}\r\n`)
  }
  const onAnswer = (socket: Socket, status: string, head: string) => {
    if (status === '503' && !/\r\nretry-after: \d/i.test(head)) withoutRetryAfter += 1
    const one = sent.get(socket)
    sent.delete(socket)
    const now = performance.now()
    if (one && now <= endsAt + graceMs) {
      note(status)
      answers.push({ ...one, status, answeredAt: now })
    }
    if (perSecond === undefined && now < endsAt) send(socket, now)
    else idle.push(socket)
  }
  const open = (): Socket => {
    const socket = openConnection(port, onAnswer)
    sockets.add(socket)
    socket
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(socket)
        if (sent.delete(socket)) note('cut')
      })
    return socket
  }
  const take = (): Socket | undefined => {
    for (;;) {
      const socket = idle.pop()
      if (!socket) return sockets.size < connections ? open() : undefined
      if (!socket.destroyed) return socket
    }
  }

  if (perSecond === undefined) for (let count = 0; count < connections; count += 1) send(open(), startedAt)
  let due = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      if (now >= endsAt) {
        clearInterval(timer)
        resolve()
        return
      }
      if (now >= countsFrom) stolenBeforeMs ??= watch.stolenMs()
      const target = perSecond === undefined ? 0 : ((now - startedAt) / 1000) * perSecond
      for (; due < target; due += 1) {
        const socket = take()
        if (socket) send(socket, startedAt + (due / (perSecond ?? 1)) * 1000)
        else note('unsent')
      }
    }, tickMs)
  })
  const stolenMs = watch.stolenMs() - (stolenBeforeMs ?? 0)
  const giveUpAt = performance.now() + graceMs
  while (sent.size > 0 && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, 10))
  for (const _ of sent) note('unanswered')
  for (const socket of sockets) socket.destroy()
  watch.stop()
  const span = { countsFrom, endsAt }
  const undisturbed = { ...span, seconds: watch.undisturbedMs(countsFrom, endsAt) / 1000 }
  return {
    ...summarise(written, answers, { ...span, seconds: seconds - leadSeconds }, () => true),
    counts,
    withoutRetryAfter,
    stolenMs,
    undisturbed: summarise(written, answers, undisturbed, watch.isUndisturbed),
  }
}
