import { DEFAULT_AUTH_POLICY, newId } from '@countersign/core'
import { createAuthPolicy } from '../../src/operations/auth-policy/create-auth-policy.ts'
import { createSigner } from '../../src/operations/signer/create-signer.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import type { SharedDatabase } from './shared-database.ts'

/** An identity with a password. */
export interface CastIdentity {
  readonly name: string
  readonly id: string
  readonly authenticatorId: string
  readonly policyId: string
  /** Whether a client has tried to do something that ends all its sessions. */
  isEnding: boolean
  /** Whether a client has tried to delete it. */
  isDeleting: boolean
}

export interface CastSession {
  readonly name: string
  readonly id: string
  readonly token: string
  readonly identity: CastIdentity
  /** Whether a client has tried to end it. */
  isEnding: boolean
}

/** The entities that clients know. */
export interface Cast {
  readonly identities: CastIdentity[]
  readonly sessions: CastSession[]
  /** The number of names given so far. */
  created: number
}

/** A name, which is also an id, that nothing else has. */
export function newName(cast: Cast, kind: string): string {
  cast.created += 1
  return `${kind}-${cast.created}`
}

/** The policies of identities, which change; the administrator has another. */
export const POLICIES = ['policy-1', 'policy-2'] as const
export const SIGNER_ID = 'signer'

/** Creates what the database holds before a simulation. */
export async function createCast(database: SharedDatabase, now: number): Promise<void> {
  const meta = { actorId: 'system', now }
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await database.commit(createFirstAdmin, admin, meta)
  for (const id of POLICIES) {
    const { primary, secondary } = DEFAULT_AUTH_POLICY
    await database.commit(createAuthPolicy, { id, body: { name: id, primary, secondary } }, meta)
  }
  const body = {
    name: SIGNER_ID,
    enabled: true,
    issuer: 'https://idp.test',
    audience: 'edge',
    jwksEndpoint: 'https://idp.test/jwks',
    useExternalId: true,
    enrollToCertEnabled: true,
  }
  await database.commit(createSigner, { id: SIGNER_ID, certificate: undefined, body }, meta)
}
