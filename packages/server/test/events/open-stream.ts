import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import type { TestContext } from 'node:test'
import type { TestApp } from '../http/build-app.ts'

const EVENTS = '/edge/management/v1/events'

/** One block of a stream, as a reader of server-sent events parses it. */
export interface StreamedEvent {
  readonly id: string | undefined
  /** `message` by default. */
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  readonly data: any
}

export interface OpenStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly response: IncomingMessage
  readonly text: string
  /** The events received, without comments. */
  events(): StreamedEvent[]
  /** Waits for an event. Fails when none comes. */
  until(isWanted: (event: StreamedEvent) => boolean): Promise<StreamedEvent>
  /** Waits for the end. Fails when it does not come within a second. */
  untilEnded(): Promise<StreamedEvent | undefined>
  readonly isEnded: boolean
  close(): void
}

/** Starts the controller's listener. Returns its port. */
export async function listen(app: TestApp): Promise<number> {
  await app.controller.http.listen({ port: 0, host: '127.0.0.1' })
  return (app.controller.http.server.address() as { port: number }).port
}

export interface StreamOptions {
  readonly session?: string
  readonly query?: string
  /** Another streamed response. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Leaves the received data unread. */
  readonly isIdle?: boolean
}

export async function openStream(
  t: TestContext,
  port: number,
  { session, query = '', path = EVENTS + query, headers = {}, isIdle = false }: StreamOptions,
): Promise<OpenStream> {
  const agent = new Agent({ rejectUnauthorized: false })
  const call = request({
    agent,
    port,
    host: '127.0.0.1',
    path,
    headers: { ...(session !== undefined && { 'zt-session': session }), ...headers },
  })
  call.end()
  t.after(() => agent.destroy())
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let text = ''
  let isEnded = false
  const ended = (): void => {
    isEnded = true
  }
  response.on('error', ended).on('close', ended).on('end', ended)
  if (!isIdle) {
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  }
  const events = () => parseBlocks(text)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    response,
    get text() {
      return text
    },
    events,
    until: async (isWanted) => {
      for (let tries = 0; tries < 250; tries += 1) {
        const found = events().find(isWanted)
        if (found) return found
        assert.ok(!isEnded, `the stream ended after: ${text.slice(-500)}`)
        await pause()
      }
      return assert.fail(`no such event in: ${text.slice(-1000)}`)
    },
    untilEnded: async () => {
      // Counted in pauses of this process, which also runs the controller: a busy machine delays both alike.
      for (let tries = 0; tries < 50 && !isEnded; tries += 1) await pause()
      assert.ok(isEnded, 'the stream has not ended within a second')
      return events().at(-1)
    },
    get isEnded() {
      return isEnded
    },
    close: () => call.destroy(),
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

function parseBlocks(text: string): StreamedEvent[] {
  const blocks = text.split('\n\n').slice(0, -1)
  return blocks.flatMap((block) => {
    const lines = block.split('\n')
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    const data = field('data')
    return data === undefined ? [] : [{ id: field('id'), type: field('event') ?? 'message', data: JSON.parse(data) }]
  })
}
