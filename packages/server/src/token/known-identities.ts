import { BoundedCache } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { Change } from '../store/change.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import { findDefaultAdministrator } from '../store/reads/administrator-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import type { FindPolicy } from './known-policies.ts'
import { findObstacle, loadAttempt, type SignInAttempt } from './login-obstacles.ts'

interface Known {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
}

const MAX_KNOWN = 20_000
const BY_ID = { useExternalId: false } as StoredSigner

/** Whom the claim of an accepted token stands for; at once where that is remembered. */
export type FindAttempt = (signer: StoredSigner, claim: string, now: number) => SignInAttempt | Promise<SignInAttempt>

/**
 * Identities and their policies by the claim that names them, remembered until the change log says that they have changed.
 * Nobody who is refused is remembered: the reason may be gone the next moment, and the time that a refusal takes must not
 * tell who is known. So a refusal costs one look-up that finds somebody and one that finds nobody, in whichever order.
 */
export function createKnownIdentities(store: Store, findPolicy: FindPolicy): FindAttempt {
  const known = new BoundedCache<string, Known>(MAX_KNOWN)
  let generation = 0
  let standIn: string | undefined

  store.onChange((changes) => {
    if (changes !== 'everything' && !changes.some(isAboutSomebody)) return
    generation++
    if (changes === 'everything' || changes.some(({ entity }) => entity === 'authPolicies')) return known.clear()
    const changed = new Set(changes.map(({ id }) => id))
    for (const [claim, { identity }] of [...known.entries()]) if (changed.has(identity.id)) known.delete(claim)
  })

  /** Somebody who is always there. */
  const findStandIn = async (): Promise<string> => {
    standIn ??= (await findDefaultAdministrator(store.db)) ?? ''
    return standIn
  }

  const load = async (name: string, signer: StoredSigner, claim: string, now: number): Promise<SignInAttempt> => {
    const before = generation
    const attempt = await loadAttempt(store.db, signer, claim, now, findPolicy)
    const { identity, policy } = attempt
    if (!identity || !policy || findObstacle(attempt) !== undefined) {
      const somebody = await findStandIn()
      await loadAttempt(store.db, BY_ID, identity ? '' : somebody, now, findPolicy)
      return attempt
    }
    // What was read may have changed while it was read: then it is good for this sign-in, but not for the next.
    if (before === generation) known.set(name, { identity, policy })
    return attempt
  }

  return (signer, claim, now) => {
    const name = `${signer.useExternalId ? 'externalId' : 'id'} ${claim}`
    const remembered = known.get(name)
    const hopeful = remembered && { signer, claim, ...remembered, now }
    return hopeful && findObstacle(hopeful) === undefined ? hopeful : load(name, signer, claim, now)
  }
}

function isAboutSomebody({ entity, action }: Change): boolean {
  return action !== 'created' && (entity === 'identities' || entity === 'authPolicies')
}
