import { spawn } from 'node:child_process'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import t, { type Test } from 'tap'
import { requestText } from '../../bench/lib/client.ts'
import { runClosedLoop, runOpenLoop } from '../../bench/lib/loops.ts'
import { getUndisturbed, measureUndisturbed } from '../../bench/lib/machine.ts'
import { watchNeighbours } from '../../bench/lib/neighbours.ts'
import { fitLine, getLowest, median, percentile } from '../../bench/lib/statistics.ts'
import { until } from '../helper.ts'

t.test('a percentile is a value that was measured, by nearest rank', async (t) => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
  t.equal(percentile(hundred, 0.99), 99)
  t.equal(percentile(hundred, 0.5), 50)
  t.equal(percentile(hundred, 1), 100)
  t.equal(percentile([7], 0.99), 7)
  t.equal(percentile([10, 9, 100], 0.5), 10, 'numbers are sorted as numbers')
  t.ok(Number.isNaN(percentile([], 0.5)))
  t.equal(median([3, 1, 2]), 2)
})

t.test('a fitted line finds the slope and its error despite noise', async (t) => {
  const line = fitLine([0, 1, 2, 3].map((x) => ({ x, y: 5 + 2 * x })))
  t.match(line, { slope: 2, intercept: 5, error: 0 })
  const saw = Array.from({ length: 200 }, (_, x) => ({ x, y: 100 + (x % 2 === 0 ? 10 : -10) }))
  const flat = fitLine(saw)
  t.ok(Math.abs(flat.slope) < 2 * flat.error, 'a saw does not grow')
  const rising = fitLine(saw.map(({ x, y }) => ({ x, y: y + x / 2 })))
  t.ok(rising.slope > 2 * rising.error, 'one that rises does')
  t.equal(
    fitLine([
      { x: 0, y: 1 },
      { x: 1, y: 2 },
    ]).error,
    Number.POSITIVE_INFINITY,
  )
})

t.test('the lowest point of each window is the memory after a collection', async (t) => {
  const points = [8, 3, 9, 4, 7, 5].map((y, x) => ({ x, y }))
  t.same(getLowest(points, 2), [
    { x: 1, y: 3 },
    { x: 3, y: 4 },
    { x: 5, y: 5 },
  ])
})

t.test('rounds alternate until enough were undisturbed or the maximum is reached', async (t) => {
  const asked: string[] = []
  const note = (name: string) => async (round: number) => {
    asked.push(`${name}${round}`)
    return round
  }
  const subjects = { a: note('a'), b: note('b') }
  const enough = await measureUndisturbed({ subjects, wanted: 2, atMost: 5, tolerated: 1 })
  t.same(asked, ['a1', 'b1', 'a2', 'b2'])
  t.same(getUndisturbed(enough.get('a') ?? [], 1), [1, 2])
  const never = await measureUndisturbed({ subjects, wanted: 2, atMost: 3, tolerated: -1 })
  t.equal(never.get('b')?.length, 3, 'tried as often as it may be')
  t.same(getUndisturbed(never.get('b') ?? [], -1), [], 'and nothing to judge')
})

const serve = async (
  t: Test,
  listener: RequestListener,
  onConnection: (socket: Socket) => void = () => {},
): Promise<string> => {
  const server: Server = createServer(listener).on('connection', onConnection)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('at a constant rate latency counts from when a request was due', async (t) => {
  const stallMs = 400
  const held: (() => void)[] = []
  let isOver = false
  const url = await serve(t, (_, response) => {
    const answer = () => void response.end('ok')
    if (isOver) return answer()
    held.push(answer)
    if (held.length > 1) return
    setTimeout(() => {
      isOver = true
      for (const each of held) each()
    }, stallMs)
  })
  const request = () => requestText('/', {})
  const open = await runOpenLoop({ url, connections: 4, seconds: 0.3, perSecond: 100, request })
  t.equal(open.failed, 0)
  t.equal(open.answers, 30)
  // Four requests waited for their answers, the others for a connection. Both count as late.
  t.ok(open.latency.percentile(50) / 1000 > stallMs / 2, `half waited ${open.latency.percentile(50)} µs`)
})

t.test('only the end of a busy connection counts as a failure', async (t) => {
  const sockets = new Set<Socket>()
  let cutTheAsking = false
  const listener: RequestListener = (request, response) => {
    for (const socket of sockets) if (socket !== request.socket) socket.destroy()
    if (cutTheAsking) request.socket.destroy()
    else response.end('ok')
  }
  const url = await serve(t, listener, (socket) => sockets.add(socket))
  const options = { url, connections: 4, request: () => requestText('/', {}) }
  // With a pause between requests: an answer to one cuts all other connections.
  const idle = await runOpenLoop({ ...options, seconds: 10, perSecond: 1 })
  t.match(idle, { answers: 10, failed: 0 })
  cutTheAsking = true
  const busy = await runOpenLoop({ ...options, connections: 1, seconds: 0.01, perSecond: 100 })
  t.match(busy, { answers: 0, failed: 1 })
})

t.test('other programs are neighbours, and own processes are not', async (t) => {
  const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  t.teardown(() => busy.kill('SIGKILL'))
  const [asNeighbour, asOwn] = [watchNeighbours([Number.NaN]), watchNeighbours([busy.pid as number])]
  await until('its time is only in one of them', () => asNeighbour() - asOwn() > 0.01)
  t.ok(asOwn() < 1)
})

t.test('answers are split by status across chunks, and failures are counted', async (t) => {
  const body = Buffer.alloc(300_000, 'x')
  const url = await serve(t, (request, response) => {
    if (request.url === '/304') return void response.writeHead(304).end()
    if (request.url === '/500') return void response.writeHead(500, { 'content-length': 2 }).end('no')
    response.writeHead(200, { 'content-length': body.length })
    response.write(body.subarray(0, 10))
    setImmediate(() => response.end(body.subarray(10)))
  })
  const paths = ['/200', '/304', '/500']
  const seen = new Map<string, number>()
  const closed = await runClosedLoop({
    url,
    connections: 2,
    seconds: 2,
    request: (n) => requestText(paths[n % 3] as string, {}),
    onAnswer: ({ status, bytes }, n) => {
      seen.set(
        `${paths[n % 3]} ${status} ${bytes}`,
        (seen.get(`${paths[n % 3]} ${status} ${bytes}`) ?? 0) + 1,
      )
    },
  })
  t.same([...seen.keys()].sort(), ['/200 200 300000', '/304 304 0', '/500 500 2'])
  t.equal(closed.failed, seen.get('/500 500 2'))
  t.ok(closed.answers >= 3)
})
