/** An event of a stream: its type, by default `message`, and its data. */
export type ServerEvent = {
  type: string
  data: string
  /** The id that the stream named last; empty: none. */
  id: string
}

/** Reads one stream of server-sent events. It keeps the place between two pieces of it. */
export type EventParser = {
  /** Returns the events that end in these bytes. An event at whose end the stream breaks off is none. */
  push(bytes: Uint8Array): ServerEvent[]
  /** The id at the end of the last block, also of a block without data. Empty if there was none. */
  readonly lastEventId: string
  /** Milliseconds to wait before connecting again; undefined: the stream has not said. */
  readonly retryMs: number | undefined
}

/**
 * Returns a parser of one stream (HTML Standard, section 9.2.6, "Interpreting an event stream"). Lines end with CR, LF or
 * both. A byte order mark at the beginning is left out, and bytes that are no UTF-8 become U+FFFD.
 */
export const createEventParser = (): EventParser => {
  // The mark is removed here: in pieces, Node.js removes a second one, too.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let isAtStart = true
  let rest = ''
  /** The last piece ended with CR: an LF at the beginning of the next one belongs to that line's end. */
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
  /** Returns the event that this line ends; undefined: it ends none. */
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
