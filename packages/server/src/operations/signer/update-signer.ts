import type { ExtJwtSignerPatch } from '@countersign/contract'
import {
  givenSignerSettings,
  type NearMiss,
  patchedSigner,
  patchesSecurityMember,
  replacedSigner,
  replacesSecurityMember,
  type SignerSettings,
  trustAfterWrite,
} from '@countersign/core'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { getSigner } from '../../store/reads/signer-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import { updateSigner } from '../../store/writes/signer-writes.ts'
import { releaseTokenAttributes } from '../../store/writes/supplied-attribute-writes.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'
import { renameGroupAttributes } from '../scim/rename-group-attributes.ts'
import { authorizeLoginAddress } from './authorize-login-address.ts'
import { authorizeSignerChange } from './authorize-signer-change.ts'
import { authorizeSignerName } from './authorize-signer-name.ts'
import { checkSigner } from './check-signer.ts'
import { checkUntrustedLengths } from './check-untrusted-quota.ts'
import type { SignerWrite } from './create-signer.ts'
import { endedSessions } from './ended-sessions.ts'
import { type GivenKeyFacts, nextKeyFacts } from './signer-key-facts.ts'
import { writerOf } from './writer-of.ts'

const ACCESS = { entity: 'external-jwt-signer', action: 'update' } as const

export const replaceSigner = operation({
  name: 'signer.replace',
  access: ACCESS,
  target: 'externalJwtSigners',
  async run(tx, { id, body, nearMisses = [], ...keys }: SignerWrite): Promise<void> {
    const current = await getSigner(tx.db, id)
    const next = replacedSigner(current, body)
    const isSecurityWrite = replacesSecurityMember<SignerSettings>(current, next) || givesSecret(keys)
    await changeSigner(tx, current, { next, keys, nearMisses, isSecurityWrite })
  },
})

export interface SignerPatch extends GivenKeyFacts {
  readonly id: string
  readonly body: Omit<ExtJwtSignerPatch, 'jwksAuthorization'>
  readonly nearMisses?: readonly NearMiss[]
}

export const patchSigner = operation({
  name: 'signer.patch',
  access: ACCESS,
  target: 'externalJwtSigners',
  async run(tx, { id, body, nearMisses = [], ...keys }: SignerPatch): Promise<void> {
    const current = await getSigner(tx.db, id)
    const next = patchedSigner(current, body)
    if (next === current && nearMisses.length === 0 && !givesSecret(keys)) return
    const isSecurityWrite = patchesSecurityMember(givenSignerSettings(body)) || givesSecret(keys)
    await changeSigner(tx, current, { next, keys, nearMisses, isSecurityWrite })
  },
})

interface SignerChange {
  readonly next: SignerSettings
  readonly keys: GivenKeyFacts
  readonly nearMisses: readonly NearMiss[]
  readonly isSecurityWrite: boolean
}

async function changeSigner(
  tx: AuthorizedTransaction,
  current: StoredSigner,
  { next, keys, nearMisses, isSecurityWrite }: SignerChange,
): Promise<void> {
  authorizeSignerChange(tx.actor, current, next, { isSecurityWrite })
  if (isSecurityWrite) await authorizeLoginAddress(tx, current.id, current, next)
  await checkUntrustedLengths(tx, current.id, current, { next, isSecurityWrite })
  await authorizeSignerName(tx, current, next)
  const keyFacts = nextKeyFacts(next, keys, { current, isAdmin: tx.actor.isAdmin })
  await checkSigner(tx, current.id, next, keyFacts)
  const trust = isSecurityWrite ? trustAfterWrite(writerOf(tx), tx.now) : current.trust
  const ending = await endedSessions(tx, current, { ...next, ...keyFacts })
  const renamesAttributes = next.scimGroupAttributeTemplate !== current.scimGroupAttributeTemplate
  const releasesAttributes = current.attributeSync === 'login' && next.attributeSync !== 'login'
  const update = async () => {
    if (renamesAttributes) await renameGroupAttributes(tx, current, next)
    if (releasesAttributes) await releaseTokenAttributes(tx, current.id)
    await updateSigner(tx, current, { settings: next, keyFacts, nearMisses, trust, ...ending })
  }
  const isUsable = current.enabled && current.trust.isTrusted
  await (isUsable || renamesAttributes ? ensureAdministratorRemains(tx, update) : update())
}

function givesSecret({ jwksAuthorization }: GivenKeyFacts): boolean {
  return jwksAuthorization !== undefined
}
