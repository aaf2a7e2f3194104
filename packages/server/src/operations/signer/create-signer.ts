import type { ExtJwtSignerWrite } from '@countersign/contract'
import { type NearMiss, signerFromBody, trustAfterWrite } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { insertSigner } from '../../store/writes/signer-writes.ts'
import { authorizeLoginAddress } from './authorize-login-address.ts'
import { authorizeSignerChange } from './authorize-signer-change.ts'
import { checkSigner } from './check-signer.ts'
import { checkUntrustedLengths, checkUntrustedQuota } from './check-untrusted-quota.ts'
import { type GivenKeyFacts, nextKeyFacts } from './signer-key-facts.ts'
import { writerOf } from './writer-of.ts'

/** The body of a POST or PUT, with its certificates and its secret. */
export interface SignerWrite extends GivenKeyFacts {
  readonly id: string
  readonly body: Omit<ExtJwtSignerWrite, 'jwksAuthorization'>
  readonly nearMisses?: readonly NearMiss[]
}

export const createSigner = operation({
  name: 'signer.create',
  access: { entity: 'external-jwt-signer', action: 'create' },
  async run(tx, { id, body, nearMisses = [], ...keys }: SignerWrite): Promise<void> {
    const settings = signerFromBody(body)
    authorizeSignerChange(tx.actor, undefined, settings, { isSecurityWrite: true })
    await checkUntrustedQuota(tx, 'ext_jwt_signers')
    await checkUntrustedLengths(tx, id, undefined, { next: settings, isSecurityWrite: true })
    await authorizeLoginAddress(tx, id, undefined, settings)
    const keyFacts = nextKeyFacts(settings, keys)
    await checkSigner(tx, id, settings, keyFacts)
    await insertSigner(tx, id, {
      settings,
      keyFacts,
      nearMisses,
      trust: trustAfterWrite(writerOf(tx), tx.now),
    })
  },
})
