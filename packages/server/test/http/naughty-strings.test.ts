import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Reply } from './build-app.ts'
import { IDENTITIES, refusal, setUpEnrollment } from './enroll-token.fixture.ts'
import { NAUGHTY_STRINGS } from './naughty-strings.fixture.ts'
import { SIGNERS } from './provider.fixture.ts'

/** The refusals of names that are not valid text. */
const REFUSED = /^400 (COULD_NOT_VALIDATE name|INVALID_ENROLLMENT_TOKEN|COULD_NOT_PARSE_BODY)$/

/** Runs ten at a time, within the store's number of connections. */
async function inTens<T>(all: readonly T[], work: (one: T, index: number) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += 10) {
    await Promise.all(all.slice(start, start + 10).map((one, index) => work(one, start + index)))
  }
}

describe('problematic names', () => {
  test('K-13 are stored letter by letter or refused with their field, the same in every endpoint', async (t) => {
    const { app, token, enrollingSigner, enroll } = await setUpEnrollment(t)
    await enrollingSigner({ enrollNameClaimsSelector: 'name' })
    const signer = { enabled: true, audience: 'a', jwksEndpoint: 'https://idp.example/jwks' }
    const endpoints: Readonly<Record<string, (name: string, index: number) => Promise<Reply>>> = {
      [IDENTITIES]: (name) => app.admin('POST', IDENTITIES, { name, type: 'Default', isAdmin: false }),
      [SIGNERS]: (name, index) => app.admin('POST', SIGNERS, { ...signer, name, issuer: `https://${index}.example` }),
      enrollment: (name, index) => enroll(token({ sub: `s${index}`, name })),
    }
    const taken = new Map<string, Set<string>>()
    for (const [endpoint, call] of Object.entries(endpoints)) {
      const path = endpoint === 'enrollment' ? IDENTITIES : endpoint
      const before = new Set(await allNames(path))
      const accepted = new Set<string>()
      await inTens(NAUGHTY_STRINGS, async (name, index) => {
        const reply = await call(name, index)
        if (reply.status < 300) accepted.add(name)
        else assert.match(refusal(reply), REFUSED, `${endpoint}: ${JSON.stringify(name).slice(0, 80)}`)
      })
      const rows = (await allRows(path)).filter(({ name }) => !before.has(name))
      assert.deepEqual(rows.map(({ name }) => name).toSorted(), [...accepted].toSorted(), 'letter by letter')
      await inTens(rows, async ({ id }) => {
        assert.equal((await app.admin('DELETE', `${path}/${id}`)).status, 200)
      })
      taken.set(endpoint, accepted)
    }
    const [first, ...others] = [...taken.values()]
    for (const other of others) assert.deepEqual(other, first, 'the same in every endpoint')
    const isStored = (name: string) => first?.has(name)
    for (const name of ['<script>alert(1)</script>', '=cmd()', '../../../etc/passwd', 'x'.repeat(256), '__proto__']) {
      assert.ok(isStored(name), name)
    }
    for (const name of ['', ' ', '\u0000', 'a\r\nb', '\u001b[31mred', '\ud800', '\u202e\u202dtest', 'x'.repeat(257)]) {
      assert.ok(!isStored(name), JSON.stringify(name))
    }

    async function allRows(path: string): Promise<{ id: string; name: string }[]> {
      return (await app.admin('GET', `${path}?limit=500`)).json.data
    }
    async function allNames(path: string): Promise<string[]> {
      return (await allRows(path)).map(({ name }) => name)
    }
  })
})
