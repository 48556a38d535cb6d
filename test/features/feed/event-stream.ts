import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'

export type Event = {
  id: string
  data: { data: { id: string }[]; page: { has_more: boolean; next_token: string } }
}

export const readEvents = (body: AsyncIterable<Uint8Array>) => {
  const events: Event[] = []
  const lines: string[] = []
  const ended = (async () => {
    const decoder = new TextDecoder()
    let rest = ''
    let fields: [string, string][] = []
    for await (const chunk of body) {
      const found = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = found.pop() ?? ''
      for (const line of found) {
        lines.push(line)
        const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
        if (line !== '') fields.push([name, value])
        else {
          const getText = (wanted: string) =>
            fields.flatMap(([field, text]) => (field === wanted ? [text] : [])).join('\n')
          if (getText('data') !== '') events.push({ id: getText('id'), data: JSON.parse(getText('data')) })
          fields = []
        }
      }
    }
  })()
  ended.catch(() => {})
  return { events, lines, ended }
}

/** Opens the feed as a stream of events. `stop`, or the end of the test, disconnects. */
export const openEvents = async (
  t: Pick<Test, 'teardown'>,
  url: string,
  token: string,
  headers: Record<string, string> = {},
) => {
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const ask = () =>
    fetch(url, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
      signal: stopping.signal,
    })
  let answer = await ask()
  // Retries like a client: on a busy machine, a late poll gives 503 for a moment.
  for (let tries = 1; tries < 5 && answer.status === 503; tries++) {
    await delay(200)
    answer = await ask()
  }
  const stream = readEvents((answer.ok ? answer.body : []) as AsyncIterable<Uint8Array>)
  return { answer, stop: () => stopping.abort(), ...stream }
}
