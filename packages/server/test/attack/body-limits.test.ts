import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RawResponse } from '@countersign/testkit'
import { ADMIN_PASSWORD } from '../http/build-app.ts'
import { http, withBody } from './hostile-requests.ts'
import { SIGNERS, sharedTarget } from './target.ts'

const ANONYMOUS_CAP = 65_536
const MANAGEMENT_CAP = 1_048_576
const CHUNKED = 'Transfer-Encoding: chunked'
const JSON_TYPE = 'Content-Type: application/json'
const LOGIN = '/edge/client/v1/authenticate?method=password'

const target = sharedTarget()
const asAdmin = () => `zt-session: ${target().app.adminSession}`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const chunkedBody = (text: string) => `${chunk(text.slice(0, 7))}${chunk(text.slice(7))}0\r\n\r\n`
const loginOf = (length: number) => JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD }).padEnd(length)
let created = 0
const signerOf = (length: number) => {
  created += 1
  const members = {
    name: `signer ${created}`,
    issuer: `https://idp${created}.example.com`,
    audience: 'a',
    enabled: false,
  }
  return JSON.stringify({ ...members, jwksEndpoint: 'https://idp.example.com/keys' }).padEnd(length)
}

/** The hosted API has its own error codes. What providers send is answered as their specifications say. */
const CODES: readonly (readonly [path: RegExp, code: string])[] = [
  [/ \/auth\/v1\/token$/, 'invalid_request'],
  [/ \/(core|identity|auth)\//, 'PAYLOAD_TOO_LARGE'],
  [/-signers\/x\/(backchannel-logout|events)$/, 'invalid_request'],
  [/ \/scim\//, '413'],
]
const tooLarge = (startLine: string): string =>
  CODES.find(([path]) => path.test(startLine))?.[1] ?? 'REQUEST_ENTITY_TOO_LARGE'

const codeOf = ({ json }: RawResponse): unknown =>
  json.error?.code ?? json.status?.label ?? json.code ?? json.error ?? json.err ?? json.status

const everyRoute = () =>
  target().app.controller.http.routes.flatMap(({ method, paths, bodyCap }) =>
    paths.map((path) => ({
      startLine: `${method} ${path.replaceAll(/:\w+/g, 'x')}`,
      cap: bodyCap === 'anonymous' ? ANONYMOUS_CAP : MANAGEMENT_CAP,
    })),
  )

describe('a body over the cap', () => {
  test('M-01 W-72 is refused by its declared length on every route, before authentication and before a byte of it is read', async () => {
    const routes = everyRoute()
    assert.ok(routes.length > 20)
    await target().unharmed(async () => {
      for (const { startLine, cap } of routes) {
        const connection = await target().open()
        connection.send(http(startLine, [JSON_TYPE, `Content-Length: ${cap + 1}`]))
        const response = await connection.readResponse()
        const { status, headers } = response
        assert.deepEqual([startLine, status, codeOf(response)], [startLine, 413, tooLarge(startLine)])
        assert.equal(headers.connection, 'close')
        connection.close()
      }
    })
  })

  test('M-01 is not refused at exactly the cap: then the session is missing', async () => {
    const body = ' '.repeat(MANAGEMENT_CAP)
    const { status } = await target().request(withBody(`POST ${SIGNERS}`, body))
    assert.equal(status, 401)
  })

  test('M-02 W-72 is refused while it is counted on every route, when it comes in chunks', async () => {
    const routes = everyRoute()
    await target().unharmed(async () => {
      for (const { startLine, cap } of routes) {
        const connection = await target().open()
        connection.send(http(startLine, [JSON_TYPE, CHUNKED], chunk(' '.repeat(cap + 1))))
        const response = await connection.readResponse()
        const { status, headers } = response
        assert.deepEqual([startLine, status, codeOf(response)], [startLine, 413, tooLarge(startLine)])
        assert.equal(headers.connection, 'close')
        connection.close()
      }
    })
  })

  test('M-02 gets no 100 when its declared length is too long; an acceptable one gets the 100 and is served', async () => {
    const refused = await target().open()
    refused.send(http(`POST ${LOGIN}`, [JSON_TYPE, 'Expect: 100-continue', `Content-Length: ${ANONYMOUS_CAP + 1}`]))
    assert.equal((await refused.readResponse()).status, 413)
    await refused.untilClosed()

    const served = await target().open()
    const body = loginOf(200)
    served.send(http(`POST ${LOGIN}`, [JSON_TYPE, 'Expect: 100-continue', `Content-Length: ${body.length}`]))
    assert.equal((await served.readResponse()).status, 100)
    served.send(body)
    assert.equal((await served.readResponse()).status, 200)
    served.close()
  })

  test('M-02 gets no 100 when the caller is not authorised: the body is not sent', async () => {
    const refused = await target().open()
    refused.send(http(`POST ${SIGNERS}`, [JSON_TYPE, 'Expect: 100-continue', 'Content-Length: 200']))
    assert.equal((await refused.readResponse()).status, 401)
    await refused.untilClosed()
  })

  test('an unknown expectation is ignored', async () => {
    const { status } = await target().request(http('GET /version', ['Expect: something-unknown']))
    assert.equal(status, 200)
  })

  test('W-72 on the client API the last byte decides, with a length and in chunks', async () => {
    const send = async (startLine: string, headers: string[], length: number) => {
      const body = loginOf(length)
      const plain = await target().request(withBody(startLine, body, headers))
      const inChunks = await target().request(http(startLine, [...headers, CHUNKED], chunkedBody(body)))
      return [plain.status, inChunks.status]
    }
    assert.deepEqual(await send(`POST ${LOGIN}`, [JSON_TYPE], ANONYMOUS_CAP), [200, 200])
    await target().unharmed(async () => {
      assert.deepEqual(await send(`POST ${LOGIN}`, [JSON_TYPE], ANONYMOUS_CAP + 1), [413, 413])
    })
  })

  test('M-05 W-72 on the management API the handler runs at the cap and not beyond it', async () => {
    const send = async (length: number) => {
      const headers = [JSON_TYPE, asAdmin()]
      const plain = await target().request(withBody(`POST ${SIGNERS}`, signerOf(length), headers))
      const body = chunkedBody(signerOf(length))
      const inChunks = await target().request(http(`POST ${SIGNERS}`, [...headers, CHUNKED], body))
      return [plain.status, inChunks.status]
    }
    assert.deepEqual(await send(MANAGEMENT_CAP), [201, 201])
    await target().unharmed(async () => assert.deepEqual(await send(MANAGEMENT_CAP + 1), [413, 413]))
  })

  test('an unread body after a 404 or 405 is never taken for a request: a short one is discarded, a long one ends the connection', async () => {
    for (const [startLine, status] of [
      ['POST /nowhere', 404],
      [`PUT ${SIGNERS}`, 405],
    ] as const) {
      const short = await target().open()
      short.send(withBody(startLine, http('GET /version')))
      assert.equal((await short.readResponse()).status, status)
      short.send(http(`GET ${SIGNERS}`))
      assert.equal((await short.readResponse()).status, 401, 'the next response is to the next request')
      short.close()

      const long = await target().open()
      long.send(withBody(startLine, http('GET /version').padEnd(16_385)))
      assert.equal((await long.readResponse()).status, status)
      await long.untilClosed()
    }
  })

  test('a client that expects 100 before a short body is refused and disconnected, since its next bytes are ambiguous', async () => {
    const connection = await target().open()
    connection.send(http('POST /nowhere', [JSON_TYPE, 'Content-Length: 2', 'Expect: 100-continue']))
    assert.equal((await connection.readResponse()).status, 404)
    await connection.untilClosed()
  })

  test('a body refused for its content leaves the connection open', async () => {
    const connection = await target().open()
    connection.send(withBody(`POST ${LOGIN}`, '{'))
    assert.equal((await connection.readResponse()).status, 400)
    connection.send(withBody(`POST ${SIGNERS}`, '{}'))
    assert.equal((await connection.readResponse()).status, 401)
    connection.send(http('GET /version'))
    assert.equal((await connection.readResponse()).status, 200)
    connection.close()
  })
})
