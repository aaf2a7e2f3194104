import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRawHttps } from '@countersign/testkit'
import { http } from './hostile-requests.ts'
import { serveRoutes } from './serve-routes.ts'

/** As many as fit into four TLS records. */
const MANY = 1_600

test('R-24 of requests that are sent before any response, some have responses, and many end the connection unparsed', async (t) => {
  let seen = 0
  const { port, get } = await serveRoutes(t, {
    '/seen': async () => {
      seen += 1
      await new Promise(setImmediate)
      return { status: 200, json: {} }
    },
  })
  const request = http('GET /seen')

  const patient = await openRawHttps({ port })
  patient.send(request.repeat(16))
  for (let nth = 1; nth <= 16; nth++) assert.equal((await patient.readResponse()).status, 200)
  patient.send(request.repeat(16))
  for (let nth = 1; nth <= 16; nth++) assert.equal((await patient.readResponse()).status, 200)
  patient.close()
  assert.equal(seen, 32)

  seen = 0
  const flooding = await openRawHttps({ port })
  flooding.send(request.repeat(MANY))
  await flooding.untilClosed()
  assert.ok(seen <= 18, `the server parsed ${seen} requests`)
  assert.equal((await get('/seen')).status, 200)
})

test('R-24 sixteen requests wait behind another one, and one more ends the connection', async (t) => {
  const held = Promise.withResolvers<void>()
  const { port } = await serveRoutes(t, {
    '/held': async () => {
      await held.promise
      return { status: 200, json: {} }
    },
  })
  const [few, many] = [await openRawHttps({ port }), await openRawHttps({ port })]
  few.send(http('GET /held').repeat(17))
  many.send(http('GET /held').repeat(18))
  await many.untilClosed()
  held.resolve()
  for (let nth = 1; nth <= 17; nth++) assert.equal((await few.readResponse()).status, 200)
  few.close()
})
