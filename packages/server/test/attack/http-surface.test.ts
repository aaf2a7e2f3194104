import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ADMIN_PASSWORD } from '../http/build-app.ts'
import { type Credentials, HOSTILE_REQUESTS, type HostileRequest } from './hostile-requests.ts'
import { sharedTarget, type Target } from './target.ts'

const target = sharedTarget()

const credentialsOf = ({ app }: Target): Credentials => ({
  session: app.adminSession,
  username: 'admin',
  password: ADMIN_PASSWORD,
})

async function attack(hostile: HostileRequest): Promise<void> {
  const at = target()
  const connection = await at.open()
  try {
    connection.send(hostile.bytes(credentialsOf(at)))
    const { status, headers, json } = await connection.readResponse()
    assert.deepEqual([status, json.error.code], [hostile.status, hostile.code])
    assert.equal(typeof json.error.requestId, 'string')
    assert.deepEqual(json.meta, { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' })
    assert.match(headers.server ?? '', /^countersign\//)
    assert.equal(headers['content-type'], 'application/json')
    if (!hostile.closes) return
    assert.equal(headers.connection, 'close')
    await connection.untilClosed()
  } finally {
    connection.close()
  }
}

describe('a hostile request is refused, its twin is served', () => {
  for (const hostile of HOSTILE_REQUESTS) {
    test(`${hostile.row} refuses ${hostile.title}`, async () => {
      await target().unharmed(() => attack(hostile))
      if (!hostile.accepted) return
      const twin = await target().request(hostile.accepted(credentialsOf(target())))
      assert.equal(twin.status, 200, twin.body)
    })
  }
})
