import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { checkSession } from '../src/doctor/checks.ts'

const RESPONSES = [
  { status: 401, code: 'UNAUTHORIZED', says: /^the session has ended$/ },
  { status: 500, code: 'UNHANDLED', says: /^the store is down/ },
]

for (const { status, code, says } of RESPONSES) {
  test(`doctor reports a ${status} for the session as what it is`, async (t) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { code, message: 'the store is down' }, meta: {} }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const [finding] = await checkSession({ url, session: 'a-session' }, 'default', undefined)
    assert.deepEqual([finding?.check, finding?.ok], ['session', false])
    assert.match(finding?.says ?? '', says)
  })
}
