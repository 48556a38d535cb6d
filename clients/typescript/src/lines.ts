import { withNetworkErrors } from './network-error.ts'

/** Limits each step of reading, see `createStepLimit`. */
export type Step = <T>(doing: Promise<T>) => Promise<T>

/**
 * Yields the bytes of a stream as they arrive. Throws a NetworkError if the stream breaks off, and the reason of
 * the caller's `signal` if it aborts. Leaving the loop closes the connection.
 */
export async function* readBytes(
  answer: Response,
  signal: AbortSignal | undefined,
  step: Step = (doing) => doing,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  try {
    for (;;) {
      const { done, value } = await withNetworkErrors(answer.url, signal, () => step(reader.read()))
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Yields the parsed lines of a stream. Throws as `readBytes` does. */
export async function* readLines<T>(answer: Response, signal: AbortSignal | undefined): AsyncGenerator<T> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of readBytes(answer, signal)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() as string
    for (const line of lines) if (line !== '') yield JSON.parse(line) as T
  }
  rest += decoder.decode()
  if (rest !== '') yield JSON.parse(rest) as T
}
