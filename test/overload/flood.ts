import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

export type Flow = {
  port: number
  /** Requests a second, however long answers take; undefined: one after another on each connection. */
  perSecond?: number
  seconds: number
  /** Connections at most. */
  connections: number
  /** Milliseconds from one look at what is due to the next; absent: 5. */
  tickMs?: number
}

export type FloodOptions = Flow & {
  /** The n-th request: its path, and what it bears. */
  request: (n: number) => { path: string; authorization?: string | undefined }
}

export type FloodResult = {
  /** By status; `unsent`: no connection was free, which is too late as well. */
  counts: Record<string, number>
  /** Those among them that came before the end: what went on at that rate. */
  inTime: Record<string, number>
  seconds: number
  /** Milliseconds from when each was due, in order of size. */
  latencies: Record<string, number[]>
  /** Those among them whose connection was made for them: the time to be taken by the service is in it. */
  onNew: Record<string, number[]>
  /** Those whose connection had been answered before, from when the request was written. */
  onKept: Record<string, number[]>
  /** Milliseconds from when each was due to when it was written: how late this client itself was. */
  lateness: number[]
}

type Sent = { dueAt: number; writtenAt: number; isFirst: boolean }

const add = (lists: Record<string, number[]>, name: string, value: number): void => {
  lists[name] ??= []
  lists[name].push(value)
}
const sortAll = (lists: Record<string, number[]>): void => {
  for (const each of Object.values(lists)) each.sort((a, b) => a - b)
}

/** After the end: what is still under way is waited for. */
const graceMs = 3_000

/** Calls with the status of each answer; a keep-alive HTTP/1.1 client that costs a few microseconds a request. */
const openConnection = (port: number, onAnswer: (socket: Socket, status: string) => void): Socket => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    for (;;) {
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      const status = text.slice(9, 12)
      text = text.slice(end + 4 + length)
      onAnswer(socket, status)
    }
  })
  return socket
}

/** Floods a port and counts what comes back. */
export const flood = async (options: FloodOptions): Promise<FloodResult> => {
  const { port, perSecond, seconds, connections, request, tickMs = 5 } = options
  const counts: Record<string, number> = {}
  const latencies: Record<string, number[]> = {}
  const onNew: Record<string, number[]> = {}
  const onKept: Record<string, number[]> = {}
  const lateness: number[] = []
  const inTime: Record<string, number> = {}
  const idle: Socket[] = []
  const sent = new Map<Socket, Sent>()
  const sockets = new Set<Socket>()
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let n = 0

  const note = (status: string) => {
    counts[status] = (counts[status] ?? 0) + 1
  }
  const noteAnswer = (status: string, { dueAt, writtenAt, isFirst }: Sent, now: number) => {
    note(status)
    add(latencies, status, now - dueAt)
    add(isFirst ? onNew : onKept, status, now - writtenAt)
  }
  const send = (socket: Socket, dueAt: number) => {
    const { path, authorization } = request(n)
    n += 1
    const writtenAt = performance.now()
    lateness.push(writtenAt - dueAt)
    sent.set(socket, { dueAt, writtenAt, isFirst: socket.bytesWritten === 0 })
    const bears = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${bears}\r\n`)
  }
  const onAnswer = (socket: Socket, status: string) => {
    const one = sent.get(socket)
    sent.delete(socket)
    const now = performance.now()
    if (now < endsAt) inTime[status] = (inTime[status] ?? 0) + 1
    if (one && now <= endsAt + graceMs) noteAnswer(status, one, now)
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
      const target = perSecond === undefined ? 0 : ((now - startedAt) / 1000) * perSecond
      for (; due < target; due += 1) {
        const socket = take()
        if (socket) send(socket, startedAt + (due / (perSecond ?? 1)) * 1000)
        else note('unsent')
      }
    }, tickMs)
  })
  const giveUpAt = performance.now() + graceMs
  while (sent.size > 0 && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, 10))
  for (const socket of sockets) socket.destroy()
  for (const lists of [latencies, onNew, onKept, { lateness }]) sortAll(lists)
  return { counts, inTime, seconds, latencies, onNew, onKept, lateness }
}
