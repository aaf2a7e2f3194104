import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { newId } from '@countersign/core'
import type { TestApp } from './build-app.ts'

export const SINKS = '/edge/management/v1/event-sinks'
export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

export interface ReceivedMessage {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  readonly json: any
}

export interface Receiver {
  readonly url: string
  readonly received: ReceivedMessage[]
  /** The status of the next responses; by default 200. */
  respond(status: (message: ReceivedMessage) => number | Promise<number>): void
}

/** The body of a sink that writes to a file. */
export const sinkBody = () => ({ name: `sink-${newId()}`, kind: 'file' })

/** Returns the id of a new sink. */
export async function makeSink(app: Pick<TestApp, 'admin'>, body: object = sinkBody()): Promise<string> {
  const reply = await app.admin('POST', SINKS, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.json.data.id
}

/** A server that records what is posted to it. */
export async function startReceiver(t: TestContext): Promise<Receiver> {
  const received: ReceivedMessage[] = []
  let statusOf = (_message: ReceivedMessage): number | Promise<number> => 200
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const body = Buffer.concat(parts).toString()
      const message = { path: request.url ?? '', headers: request.headers, body, json: JSON.parse(body) }
      const status = await statusOf(message)
      if (status < 300) received.push(message)
      response.writeHead(status).end('thank you')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/events`,
    received,
    respond: (given) => {
      statusOf = given
    },
  }
}

/** Delivers what has happened. */
export async function deliver(app: TestApp): Promise<void> {
  for (const { deliverEvents } of app.controllers) await deliverEvents()
}
