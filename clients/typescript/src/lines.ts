/** The lines of a stream, each parsed. Throws where the stream breaks off. */
export async function* readLines<T>(answer: Response): AsyncGenerator<T> {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n')
      rest = done ? '' : (lines.pop() as string)
      for (const line of lines) if (line !== '') yield JSON.parse(line) as T
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
