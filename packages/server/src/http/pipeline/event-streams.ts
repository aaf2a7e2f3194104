import { AppError } from '@countersign/core'
import type { FastifyReply } from 'fastify'
import type { EventStreamSource, StreamEnd } from '../../events/event-stream-source.ts'
import { type StreamHolder, StreamPlaces } from '../../events/stream-places.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import { watchAccess } from './watch-access.ts'

export interface EventStreams {
  /** Streams until the client disconnects, is too slow or is no longer authorized. Throws when there are too many streams. */
  open(opened: OpenedStream, reply: FastifyReply): FastifyReply
  /** Ends all streams and refuses new ones. */
  stop(): void
  readonly size: number
}

interface OpenedStream {
  readonly source: EventStreamSource
  readonly holder: StreamHolder
  /** Returns the holder by the current state. Rejects when the caller is no longer authorized. */
  recheck(): Promise<StreamHolder>
}

interface EventStreamsOptions {
  readonly maxStreams: number
  /** After this time without events a comment is sent, so that a broken connection is noticed. */
  readonly heartbeatMs?: number
}

/** The identity of the caller's session. */
export function streamHolder(session: LiveSession | undefined): StreamHolder {
  return { identityId: session?.identity.id ?? '', isAdmin: session?.identity.isAdmin ?? false }
}

const HEARTBEAT_MS = 15_000
/** The connection is destroyed when the client has not read the end notice by then. */
const END_NOTICE_MS = 500
const HEARTBEAT = ':\n\n'

/**
 * The open event streams. Each caller is authorized again and again, by the same rules and with the same credentials as at the start: session,
 * identity, policy, second factor and permission.
 */
export function createEventStreams({ maxStreams, heartbeatMs = HEARTBEAT_MS }: EventStreamsOptions): EventStreams {
  const open = new Set<(reason: StreamEnd) => void>()
  const places = new StreamPlaces(maxStreams)
  let isStopped = false

  const start = (
    { source, holder, recheck }: OpenedStream,
    { raw: response }: FastifyReply,
    leave: () => void,
  ): void => {
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
      leave()
      open.delete(end)
      stopWatching()
      cancelWake()
    }

    const end = (reason: StreamEnd): void => {
      if (isEnded) return
      release()
      response.end(source.endNotice(reason))
      const cut = setTimeout(() => response.destroy(), END_NOTICE_MS)
      response.once('close', () => clearTimeout(cut))
    }

    const onAllowed = (): void => {
      if (source.isTooSlow) end('too-slow')
      else if (!isBlocked && performance.now() - sentAt >= heartbeatMs) send(HEARTBEAT)
    }

    /** An administrator's place is not kept by a caller who no longer is one. */
    const recheckHolder = async (): Promise<void> => {
      const { isAdmin } = await recheck()
      if (holder.isAdmin && !isAdmin) throw new AppError('UNAUTHORIZED')
    }

    open.add(end)
    response.on('drain', () => {
      isBlocked = false
      pump()
    })
    response.once('close', release)
    response.on('error', release)
    stopWatching = watchAccess({ recheck: recheckHolder, onAllowed, onRefused: () => end('not-authorized') })
    pump()
  }

  return {
    open: (opened, reply) => {
      // The client has left: nothing would report the end of the connection.
      if (reply.raw.destroyed) {
        opened.source.close?.()
        return reply.hijack()
      }
      let leave: () => void
      try {
        if (isStopped) throw new AppError('SERVER_TOO_MANY_REQUESTS')
        leave = places.take(opened.holder)
      } catch (refusal) {
        opened.source.close?.()
        throw refusal
      }
      reply.hijack()
      const headers = reply.getHeaders() as Record<string, string>
      const own = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
      reply.raw.writeHead(200, { ...headers, ...own })
      start(opened, reply, leave)
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
