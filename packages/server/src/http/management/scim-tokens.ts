import { newId, newSecret, secretDigest } from '@countersign/core'
import { createScimToken, deleteScimToken } from '../../operations/scim/scim-tokens.ts'
import type { Clock } from '../../platform/clock.ts'
import { notFound } from '../../store/not-found.ts'
import { listScimTokens } from '../../store/reads/scim-token-reads.ts'
import { hasSigner } from '../../store/reads/signer-reads.ts'
import type { Store } from '../../store/store.ts'
import { detail, done, timestamp } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { ONE } from './ext-jwt-signers.ts'
import { idOf } from './resource-routes.ts'

interface ScimTokenRouteParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
}

/** Secret scanners recognise tokens by their beginning. */
const PREFIX = 'scim_'

/** The tokens with which the identity provider of a signer manages users and groups. Administrators make them. */
export function scimTokenRoutes({ store, clock }: ScimTokenRouteParts): Route[] {
  const paths = ONE.map((path) => `${path}/scim-tokens`)

  return [
    {
      method: 'GET',
      paths,
      access: { entity: 'admin', action: 'read' },
      bodyCap: 'management',
      body: null,
      note: describe.wholeList('ScimToken', 'List the SCIM tokens of a signer'),
      handle: async (call) => {
        const id = idOf(call)
        if (!(await hasSigner(store.db, id))) throw notFound('externalJwtSigner', id)
        const tokens = await listScimTokens(store.db, id)
        const shown = tokens.map((token) => ({
          id: token.id,
          createdAt: timestamp(token.createdAt),
          createdBy: { id: token.createdById, name: token.createdByName },
        }))
        return detail(shown)
      },
    },
    {
      method: 'POST',
      paths,
      access: { entity: 'admin', action: 'change' },
      bodyCap: 'management',
      body: null,
      note: {
        summary: 'Make a SCIM token of a signer',
        response: { kind: 'one', of: 'ScimToken', status: 201 },
        description: 'At most two, for rotation. The response is the only one that has the token.',
      },
      handle: async (call) => {
        const now = clock.now()
        const [tokenId, token] = [newId(), `${PREFIX}${newSecret()}`]
        const args = { signerId: idOf(call), tokenId, tokenDigest: secretDigest(token) }
        await store.run(createScimToken, args, operationMeta(call, now))
        const { id, name } = sessionOf(call).identity
        return { ...detail({ id: tokenId, createdAt: timestamp(now), createdBy: { id, name }, token }), status: 201 }
      },
    },
    {
      method: 'DELETE',
      paths: paths.map((path) => `${path}/:tokenId`),
      access: { entity: 'admin', action: 'change' },
      bodyCap: 'management',
      body: null,
      note: describe.done('Delete a SCIM token of a signer'),
      handle: async (call) => {
        const args = { signerId: idOf(call), tokenId: call.params.tokenId ?? '' }
        await store.run(deleteScimToken, args, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
