import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { newId } from '@countersign/core'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { createSigner } from '../../src/operations/signer/create-signer.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { findIdentity } from '../../src/store/reads/identity-reads.ts'
import { findSession } from '../../src/store/reads/session-reads.ts'
import { DATABASES, openTestStore, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const now = 1_700_000_000_000
const meta = { actorId: 'system', now }

for (const database of DATABASES) {
  describe(`a session on ${database}`, () => {
    test('is found by the digest of its token, with its identity, which equals the identity read alone', async (t) => {
      const store = await openTestStore(t, database)
      const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
      await store.run(createFirstAdmin, admin, meta)
      const issuer = 'https://idp.example'
      const signer = { name: 'idp', enabled: true, issuer, audience: 'edge', jwksEndpoint: `${issuer}/jwks` }
      await store.run(createSigner, { id: 'signer', certificate: undefined, body: signer }, meta)
      // In byte order the last one comes later, although its first UTF-16 unit is smaller.
      const inOrder = [['a "quoted"', 'b', 'c'], [], ['\uff5e', '\u{1f600}']]
      for (const attributes of inOrder) {
        const identityId = newId()
        const name = `identity with ${attributes.length}`
        const roleAttributes = attributes.toReversed()
        const tags = { team: 'red' }
        const body = { name, type: 'Default', isAdmin: false, externalId: name, roleAttributes, tags } as const
        await store.run(createIdentity, { id: identityId, body }, meta)
        const session = {
          id: newId(),
          tokenDigest: `digest of ${name}`,
          identityId,
          method: 'ext-jwt' as const,
          authenticatorId: 'extJwtId:signer',
          token: {
            ...{ signerId: 'signer', signerRevision: 1, sessionRevision: 3, externalId: name, expiresAt: now + 500 },
            ...{
              subject: 'ann',
              providerSessionId: 'sid',
              acr: 'silver',
              amr: ['pwd', 'otp'],
              authenticatedAt: now - 500,
            },
            ...{
              issuedAt: now - 400,
              revocationKeys: ['all'],
              ruleClaims: { claims: { level: 2 }, knownClaims: ['level'] },
            },
          },
          ipAddress: '192.0.2.1',
          configTypes: ['all'],
          expiresAt: now + 1_000,
          endsAt: now + 2_000,
          maxPerIdentity: 10,
          envInfo: undefined,
          sdkInfo: undefined,
        }
        await store.run(createApiSession, session, { actorId: identityId, now: now + 5 })
        const found = await findSession(store, session.tokenDigest)
        const { id, method, authenticatorId, ipAddress, configTypes, expiresAt, endsAt } = session
        assert.deepEqual(found?.session, {
          ...{ id, method, authenticatorId, signerId: 'signer', ipAddress, configTypes, expiresAt, endsAt },
          ...{ acr: session.token.acr, amr: session.token.amr, authenticatedAt: session.token.authenticatedAt },
          tokenExpiresAt: session.token.expiresAt,
          ruleClaims: session.token.ruleClaims,
          ...{ signerSessionRevision: 3, keyThumbprint: null, caId: null, caRevision: null },
          ...{
            createdAt: now + 5,
            updatedAt: now + 5,
            lastActivityAt: now + 5,
            passedTotpId: null,
            passedPasskeyId: null,
            boundKey: null,
          },
        })
        assert.deepEqual(found?.identity, await findIdentity(store.db, identityId))
        assert.deepEqual(found?.identity.attributes, attributes)
      }
      assert.equal(await findSession(store, 'unknown digest'), undefined)
    })
  })
}
