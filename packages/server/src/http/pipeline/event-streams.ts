import { AppError } from '@countersign/core'
import type { FastifyReply } from 'fastify'
import type { EventStreamSource, StreamEnd } from '../../events/event-stream-source.ts'
import { whileAdmitted } from './while-admitted.ts'

export interface EventStreams {
  /** Streams until the reader goes, is too slow or may not read any more. Throws when there are too many streams. */
  open(source: EventStreamSource, reply: FastifyReply, readmit: () => Promise<unknown>): FastifyReply
  /** Ends all of them, and those that would be opened from now on. */
  stop(): void
  readonly size: number
}

interface EventStreamsOptions {
  readonly maxStreams: number
  /** A comment is sent when there was nothing else for so long, so that a broken connection is noticed. */
  readonly heartbeatMs?: number
}

const HEARTBEAT_MS = 15_000
/** A reader that does not take his last words is cut off. */
const FAREWELL_MS = 500
const HEARTBEAT = ':\n\n'

/**
 * Answers that last. Whoever reads is admitted again and again, by the same rules and with the same credentials as his call was: the
 * session, its identity, policy, second factor and permission.
 */
export function createEventStreams({ maxStreams, heartbeatMs = HEARTBEAT_MS }: EventStreamsOptions): EventStreams {
  const open = new Set<(reason: StreamEnd) => void>()
  let isStopped = false

  const start = (source: EventStreamSource, reply: FastifyReply, readmit: () => Promise<unknown>): void => {
    const { raw: response } = reply
    let isEnded = false
    let isBlocked = false
    let sentAt = performance.now()
    let stopWatching = (): void => {}
    let cancelWake = (): void => {}

    const send = (text: string): void => {
      sentAt = performance.now()
      isBlocked = !response.write(text)
    }

    const pump = (): void => {
      for (let text = 'more'; text !== '' && !isBlocked && !isEnded; ) {
        text = source.read()
        if (source.isTooSlow) end('too-slow')
        else if (text !== '') send(text)
      }
      cancelWake()
      if (!isBlocked && !isEnded) cancelWake = source.wake(pump)
    }

    const release = (): void => {
      if (isEnded) return
      isEnded = true
      source.close?.()
      open.delete(end)
      stopWatching()
      cancelWake()
    }

    const end = (reason: StreamEnd): void => {
      if (isEnded) return
      release()
      response.end(source.farewell(reason))
      const cut = setTimeout(() => response.destroy(), FAREWELL_MS)
      response.once('close', () => clearTimeout(cut))
    }

    const onAdmitted = (): void => {
      if (source.isTooSlow) end('too-slow')
      else if (!isBlocked && performance.now() - sentAt >= heartbeatMs) send(HEARTBEAT)
    }

    open.add(end)
    response.on('drain', () => {
      isBlocked = false
      pump()
    })
    response.once('close', release)
    response.on('error', release)
    stopWatching = whileAdmitted({ readmit, onAdmitted, onRefused: () => end('not-admitted') })
    pump()
  }

  return {
    open: (source, reply, readmit) => {
      if (isStopped || open.size >= maxStreams) {
        source.close?.()
        throw new AppError('SERVER_TOO_MANY_REQUESTS')
      }
      reply.hijack()
      const headers = reply.getHeaders() as Record<string, string>
      const own = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
      reply.raw.writeHead(200, { ...headers, ...own })
      start(source, reply, readmit)
      return reply
    },
    stop: () => {
      isStopped = true
      for (const end of [...open]) end('stopping')
    },
    get size() {
      return open.size
    },
  }
}
