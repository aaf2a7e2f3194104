import type { IncomingMessage } from 'node:http'
import { OutboundError } from './outbound-error.ts'

export interface ResponseRules {
  readonly mediaTypes: readonly string[]
  readonly maxBytes: number
  readonly statuses?: readonly number[] | undefined
}

const NO_CONTENT = 204

const MAX_SHOWN_MEDIA_TYPE = 64

/**
 * Reads the body. The response must have an accepted status and media type, no content encoding and at most `maxBytes`, counted as they arrive.
 * @throws {OutboundError} with the status
 */
export async function readResponse(
  response: IncomingMessage,
  { mediaTypes, maxBytes, statuses = [200] }: ResponseRules,
): Promise<Buffer> {
  const status = response.statusCode ?? 0
  const refuse = (reason: OutboundError['reason'], details: string) =>
    new OutboundError(reason, `the response was HTTP ${status}${details}`, { status })
  if (status >= 300 && status < 400 && status !== 304)
    throw refuse('redirect', ', and redirects are not followed (setting jwks.maxRedirects)')
  if (!statuses.includes(status)) throw refuse('status', `, not ${statuses.join(' or ')}`)
  if (status === NO_CONTENT) return Buffer.alloc(0)
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw refuse('encoding', ' with a content encoding that was not requested')
  const mediaType = mediaTypeOf(response.headers['content-type'])
  if (!mediaTypes.includes(mediaType)) {
    throw refuse('media-type', ` with the media type ${shown(mediaType)}, not ${mediaTypes.join(' or ')}`)
  }
  const tooLarge = refuse('too-large', ` with more than ${maxBytes} bytes`)
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge

  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) throw tooLarge
    parts.push(part)
  }
  return Buffer.concat(parts, size)
}

function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Quotes the server's media type only when it is well-formed. */
function shown(mediaType: string): string {
  if (mediaType === '') return '(none)'
  const isPlain = mediaType.length <= MAX_SHOWN_MEDIA_TYPE && /^[a-z0-9.+/-]+$/.test(mediaType)
  return isPlain ? mediaType : '(unreadable)'
}
