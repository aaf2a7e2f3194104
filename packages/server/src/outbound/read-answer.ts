import type { IncomingMessage } from 'node:http'
import { OutboundError } from './outbound-error.ts'

export interface AnswerRules {
  readonly mediaTypes: readonly string[]
  readonly maxBytes: number
  readonly statuses?: readonly number[] | undefined
}

const NO_CONTENT = 204

const MAX_SHOWN_MEDIA_TYPE = 64

/**
 * The body of an answer that has a good status, is of a wanted media type, not encoded and not too large; bytes are counted as they arrive.
 * @throws {OutboundError} that names the status
 */
export async function readAnswer(
  answer: IncomingMessage,
  { mediaTypes, maxBytes, statuses = [200] }: AnswerRules,
): Promise<Buffer> {
  const status = answer.statusCode ?? 0
  const said = `the answer was HTTP ${status}`
  const refuse = (reason: OutboundError['reason'], words: string) =>
    new OutboundError(reason, `${said}${words}`, { status })
  if (status >= 300 && status < 400 && status !== 304)
    throw refuse('redirect', ', and the redirect is not followed (setting jwks.maxRedirects)')
  if (!statuses.includes(status)) throw refuse('status', `, not ${statuses.join(' or ')}`)
  if (status === NO_CONTENT) return Buffer.alloc(0)
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw refuse('encoding', ' in a content encoding that was not asked for')
  const mediaType = mediaTypeOf(answer.headers['content-type'])
  if (!mediaTypes.includes(mediaType)) {
    throw refuse('media-type', ` with the media type ${shown(mediaType)}, not ${mediaTypes.join(' or ')}`)
  }
  const tooLarge = refuse('too-large', ` with more than ${maxBytes} bytes`)
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge

  const parts: Buffer[] = []
  let size = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) throw tooLarge
    parts.push(part)
  }
  return Buffer.concat(parts, size)
}

function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** What a stranger's server says is repeated only where it is a media type. */
function shown(mediaType: string): string {
  if (mediaType === '') return '(none)'
  const isPlain = mediaType.length <= MAX_SHOWN_MEDIA_TYPE && /^[a-z0-9.+/-]+$/.test(mediaType)
  return isPlain ? mediaType : '(unreadable)'
}
