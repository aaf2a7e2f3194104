import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_PASSWORD, buildApp } from '../http/build-app.ts'
import { jwksBody, SIGNERS, summarize } from '../http/ext-jwt-signers.fixture.ts'

const HOLDER = { permissions: ['external-jwt-signer'] }
const SAVES = 30
const RULES = 15

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

/** Rules of 3 KiB, which no cache knows. Reading those of one signer takes 20 ms. */
const rulesOf = (save: number) =>
  numbers(RULES).map(
    (rule) =>
      `["a"${numbers(120)
        .map((part) => `, lower(claims.a${save}b${rule}c${part})`)
        .join('')}]`,
  )

test('R-23 a login waits for one of the saves that a caller sends at once, whose rules are slow to check', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller', hasWriterThread: true })
  const [caller, other] = [await app.makeIdentity(HOLDER), await app.makeIdentity(HOLDER)]
  let ended = 0
  const save = async ({ session }: { readonly session: string }, nth: number, last: string) => {
    const attributeRules = [...rulesOf(nth), last]
    const reply = await app.call('POST', SIGNERS, jwksBody({ attributeRules }), { session })
    ended++
    return summarize(reply)
  }
  assert.equal(await save(other, SAVES, '[claims.a]'), '201')
  ended = 0
  const saves = numbers(SAVES).map((nth) => save(caller, nth, 'claims.a +'))
  await new Promise((resolve) => setImmediate(resolve))
  await app.logIn('admin', ADMIN_PASSWORD)
  const before = ended
  assert.deepEqual(new Set(await Promise.all(saves)), new Set([`400 COULD_NOT_VALIDATE attributeRules[${RULES}]`]))
  assert.ok(before <= 5, `${before} of ${SAVES} saves ended before the login`)
})
