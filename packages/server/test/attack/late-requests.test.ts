import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { startTarget, type Target } from './target.ts'

const IDENTITIES = '/edge/management/v1/identities'
/** Longer than a caller stays authorized. */
const LATE_MS = 400

type Loss = (target: Target, id: string) => Promise<unknown>
const NOTHING: Loss = async () => {}
const DISABLED: Loss = ({ app }, id) => app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })
const PERMISSION: Loss = ({ app }, id) => app.admin('PATCH', `${IDENTITIES}/${id}`, { permissions: ['auth-policy'] })
const SOME_PERMISSION: Loss = ({ app }, id) =>
  app.admin('PATCH', `${IDENTITIES}/${id}`, { permissions: ['identity.read'] })

async function setUp(t: TestContext) {
  const target = await startTarget(t)
  const caller = await target.app.makeIdentity({ permissions: ['identity', 'auth-policy'] })
  return { target, ...caller }
}

const LOSSES: readonly (readonly [string, Loss, number])[] = [
  ['nothing', NOTHING, 200],
  ['the identity', DISABLED, 401],
  ['the permission', PERMISSION, 401],
]

for (const [lost, lose, status] of LOSSES) {
  test(`N-01 a caller who loses ${lost} before the body of a read arrives gets ${status}`, async (t) => {
    const { target, id, session } = await setUp(t)
    const connection = await target.open()
    connection.send(
      `GET ${IDENTITIES} HTTP/1.1\r\nHost: localhost\r\nzt-session: ${session}\r\nContent-Length: 1\r\n\r\n`,
    )
    await sleep(LATE_MS)
    await lose(target, id)
    connection.send('x')
    assert.equal((await connection.readResponse()).status, status)
    connection.close()
  })
}

/** Occupies the caller's turn at the long reads. */
const SLOW = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000000) select count(*) from n`

for (const [lost, lose, status] of [...LOSSES, ['one of several permissions', SOME_PERMISSION, 401] as const]) {
  test(`N-01 a caller who loses ${lost} while a read waits for its turn gets ${status}`, async (t) => {
    const { target, id, session } = await setUp(t)
    const { app } = target
    const ahead = app.store.readLong(id, SLOW.compile(app.store.db))
    const from = performance.now()
    const listed = app.call('GET', `${IDENTITIES}?filter=${encodeURIComponent('name contains "a"')}`, undefined, {
      session,
    })
    // The caller is authorized, and waits.
    await sleep(50)
    await lose(target, id)
    await ahead
    assert.ok(performance.now() - from > LATE_MS, 'the list had to wait')
    const response = await listed
    assert.equal(response.status, status, response.text)
  })
}
