import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { TestContext } from 'node:test'
import type { ReadyController } from '@countersign/testkit'
import { MANAGEMENT } from './worker-clients.ts'

export interface ReadEvent {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  readonly data: any
}

/** Reads entity changes as they happen, after the event `after` if given. */
export async function openEvents(
  t: TestContext,
  { ready }: ReadyController,
  session: string,
  after?: string,
): Promise<{ events(): ReadEvent[] }> {
  const headers = { 'zt-session': session, ...(after && { 'last-event-id': after }) }
  const url = new URL(`${MANAGEMENT}/events?namespace=entityChange`, ready.baseUrl)
  const call = request(url, { ca: readFileSync(ready.caFile), headers, agent: false }).on('error', () => {})
  call.end()
  t.after(() => call.destroy())
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  response.on('error', () => {})
  const blocks = () => text.split('\n\n').slice(0, -1)
  return {
    events: () =>
      blocks().flatMap((block) => {
        const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(block) ?? []
        return id !== undefined && data !== undefined ? [{ id, data: JSON.parse(data) }] : []
      }),
  }
}
