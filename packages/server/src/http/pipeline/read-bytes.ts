import type { IncomingMessage } from 'node:http'
import { AppError } from '@countersign/core'

/** Whether the headers announce a body. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Whether bytes of this request are still to come. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete && !request.readableEnded
}

/**
 * Reads the body to its end. One byte over `maxBytes` is a 413, whatever length was declared. With `keep` false the bytes are counted and
 * discarded. On failure the rest stays unread.
 */
export function readBytes(
  request: IncomingMessage,
  { maxBytes, keep }: { maxBytes: number; keep: boolean },
): Promise<Buffer | undefined> {
  if (!hasBody(request)) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut).pause()
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (keep) chunks.push(chunk)
      if (length <= maxBytes) return
      stop()
      reject(new AppError('REQUEST_ENTITY_TOO_LARGE'))
    }
    const onEnd = (): void => {
      stop()
      resolve(Buffer.concat(chunks))
    }
    const onCut = (): void => {
      stop()
      reject(new AppError('COULD_NOT_READ_BODY', { message: 'the connection ended before the body did' }))
    }
    if (request.destroyed) return onCut()
    request.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  })
}
