import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { ControllerClient } from '@countersign/sdk'
import { parseEventStream } from '../src/events/parse-event-stream.ts'
import { startServer } from './local-server.ts'

const event = (number: number) => `id: n.${number}\ndata: {"namespace":"authentication","number":${number}}\n\n`
const stream = (...chunks: readonly string[]) => {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  }
}

test('a broken stream is resumed after the last event, and a gap is reported', async (t) => {
  const server = await startServer(t, (_, count) => {
    if (count === 1) return stream(': hello\n\n', event(1), event(2), 'id: n.3\ndata: {"half')
    if (count === 2) return (response) => response.destroy()
    if (count === 3) return stream('event: gap\ndata: {"message":"2 events are lost"}\n\n', event(5))
    return stream('event: end\ndata: {"message":"bye"}\n\n')
  })
  const client = new ControllerClient({ baseUrl: server.url, session: 's', retries: 0 })
  const stop = new AbortController()
  const seen: unknown[] = []
  for await (const { kind, id, event: received } of client.events({
    namespaces: ['authentication', 'apiSession'],
    signal: stop.signal,
  })) {
    seen.push([kind, id, received.number])
    if (received.number === 5) break
  }
  assert.deepEqual(seen, [
    ['event', 'n.1', 1],
    ['event', 'n.2', 2],
    ['gap', 'n.2', undefined],
    ['event', 'n.5', 5],
  ])
  assert.deepEqual(
    server.seen.map(({ headers }) => headers['last-event-id']),
    [undefined, 'n.2', 'n.2'],
  )
  assert.equal(server.seen[0]?.path, '/edge/management/v1/events?namespace=authentication%2CapiSession')
})

test('events are parsed for any chunking and any line ending', async (t) => {
  const text = 'event: message\r\nid: n.1\r\ndata: {"namespace":"ünï",\r\ndata: "number":1}\r\n\r\n'
  const bytes = Buffer.from(text)
  const server = await startServer(t, () => async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const byte of bytes) {
      response.write(Buffer.from([byte]))
      await new Promise(setImmediate)
    }
    response.end()
  })
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  const { value } = await client.events().next()
  assert.deepEqual([value?.id, value?.event], ['n.1', { namespace: 'ünï', number: 1 }])
})

test('the body of a refusal is read up to a limit', async (t) => {
  const chunk = Buffer.alloc(1_048_576, ' ')
  let sent = 0
  const server = await startServer(t, () => (response) => {
    response.writeHead(503)
    const write = () => {
      while (!response.destroyed && sent < 200) {
        sent += 1
        if (!response.write(chunk)) return void response.once('drain', write)
      }
      response.end()
    }
    write()
  })
  const client = new ControllerClient({ baseUrl: server.url, session: 's', retries: 0 })
  await assert.rejects(client.events().next(), { code: 'BAD_ANSWER', status: 503 })
  assert.ok(sent < 100, `${sent} MiB`)
})

test('a refusal ends the stream with an error; a signal ends it without one', async (t) => {
  const server = await startServer(t, () => ({ status: 401, json: { error: { code: 'UNAUTHORIZED', message: 'no' } } }))
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  await assert.rejects(client.events().next(), { code: 'UNAUTHORIZED', status: 401 })
  const quiet = await startServer(t, () => (response) => void response.writeHead(200).write(': hello\n\n'))
  const stop = new AbortController()
  const events = new ControllerClient({ baseUrl: quiet.url, session: 's' }).events({ signal: stop.signal })
  const next = events.next()
  setTimeout(() => stop.abort(), 100)
  assert.deepEqual(await next, { done: true, value: undefined })
})

test('the length of an event is limited, also when it is in many lines', async () => {
  const lengths = async (lines: number, between: string) => {
    const line = `data: ${'x'.repeat(65_535)}\n`
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let sent = 0; sent < lines; sent++) controller.enqueue(Buffer.from(line + between))
        controller.enqueue(Buffer.from('\n'))
        controller.close()
      },
    })
    const seen: number[] = []
    for await (const { data } of parseEventStream(body)) seen.push(data.length)
    return seen
  }
  assert.deepEqual(await lengths(16, ''), [16 * 65_536 - 1])
  await assert.rejects(lengths(17, ''), RangeError)
  assert.equal((await lengths(17, '\n')).length, 17, 'the limit is for one event')
})
