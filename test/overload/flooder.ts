import { type FloodResult, type Flow, flood } from './flood.ts'

/** What a process of its own is told to send: its requests in turn, `{n}` in a path being another number each time. */
export type Order = Flow & { requests: readonly { path: string; authorization?: string }[] }

process.on('message', ({ requests, ...flow }: Order) => {
  const request = (n: number) => {
    const { path, authorization } = requests[n % requests.length] as Order['requests'][number]
    return { path: path.replace('{n}', String(n).padStart(6, '0')), authorization }
  }
  void flood({ ...flow, request }).then((result: FloodResult) => process.send?.(result))
})
