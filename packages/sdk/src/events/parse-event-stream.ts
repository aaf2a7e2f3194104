/** One server-sent event. */
export interface StreamMessage {
  /** Default: `message`. */
  readonly type: string
  readonly data: string
  /** The last event id so far. */
  readonly id: string | undefined
}

/** Longer than any event of a controller, in characters. */
const MAX_LENGTH = 1_048_576

/** Parses an event stream (HTML standard, 9.2). Ends with the stream; drops an incomplete message at its end. */
export async function* parseEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  let type = ''
  let data: string[] = []
  let length = 0
  let id: string | undefined
  for await (const line of readLines(body)) {
    if (line === '') {
      if (data.length > 0) yield { type: type || 'message', data: data.join('\n'), id }
      type = ''
      data = []
      length = 0
      continue
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') {
      // An empty line counts too: it takes a place in the array.
      length += value.length + 1
      if (length > MAX_LENGTH) throw new RangeError('a message of the event stream is too long')
      data.push(value)
    } else if (field === 'event') type = value
    else if (field === 'id' && !value.includes('\0')) id = value
  }
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      // A carriage return at the end of the chunk may be the first half of a CRLF.
      for (let end = findLineEnd(rest); end; end = findLineEnd(rest)) {
        yield rest.slice(0, end.at)
        rest = rest.slice(end.next)
      }
      if (rest.length > MAX_LENGTH) throw new RangeError('a line of the event stream is too long')
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function findLineEnd(text: string): { at: number; next: number } | undefined {
  const at = text.search(/[\r\n]/)
  if (at < 0 || (text[at] === '\r' && at === text.length - 1)) return undefined
  return { at, next: text.startsWith('\r\n', at) ? at + 2 : at + 1 }
}
