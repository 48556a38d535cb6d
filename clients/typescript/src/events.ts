/** An event of a stream. `type` defaults to `message`. */
export type ServerEvent = {
  type: string
  data: string
  /** The last id in the stream. Empty if there was none. */
  id: string
}

/** Parses one stream of server-sent events. Keeps incomplete lines between two pieces. */
export type EventParser = {
  /** Returns the events that end in these bytes. An incomplete event at the end of the stream is dropped. */
  push(bytes: Uint8Array): ServerEvent[]
  /** The id at the end of the last block, also of a block without data. Empty if there was none. */
  readonly lastEventId: string
  /** Milliseconds to wait before connecting again. `undefined` if the stream did not set it. */
  readonly retryMs: number | undefined
}

/**
 * Returns a parser of one stream (HTML Standard, section 9.2.6, "Interpreting an event stream"). Lines end
 * with CR, LF or both. Removes a byte order mark at the beginning. Invalid UTF-8 becomes U+FFFD.
 */
export const createEventParser = (): EventParser => {
  // The mark is removed here: in pieces, Node.js removes a second one, too.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let isAtStart = true
  let rest = ''
  /** The last piece ended with CR. An LF at the beginning of the next one belongs to the same line end. */
  let endsWithCr = false
  let type = ''
  let data: string[] = []
  let id = ''
  let lastEventId = ''
  let retryMs: number | undefined

  const takeField = (name: string, value: string): void => {
    if (name === 'event') type = value
    else if (name === 'data') data.push(value)
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^[0-9]+$/.test(value)) retryMs = Number(value)
  }
  /** Returns the event that this line ends. `undefined` if it does not end one. */
  const takeLine = (line: string): ServerEvent | undefined => {
    if (line === '') {
      lastEventId = id
      const event = data.length > 0 ? { type: type || 'message', data: data.join('\n'), id } : undefined
      type = ''
      data = []
      return event
    }
    // A line that begins with a colon is a comment: a field without a name.
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    takeField(name, value)
    return undefined
  }

  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true })
      if (text === '') return []
      const extra = isAtStart ? '\ufeff' : endsWithCr ? '\n' : ''
      const fresh = text.slice(text.startsWith(extra) ? extra.length : 0)
      const lines = (rest + fresh).split(/\r\n|\r|\n/)
      isAtStart = false
      endsWithCr = text.endsWith('\r')
      rest = lines.pop() as string
      return lines.flatMap((line) => takeLine(line) ?? [])
    },
    get lastEventId() {
      return lastEventId
    },
    get retryMs() {
      return retryMs
    },
  }
}
