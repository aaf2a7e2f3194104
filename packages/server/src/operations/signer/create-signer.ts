import type { ExtJwtSignerWrite } from '@countersign/contract'
import { type NearMiss, signerFromBody, trustAfterWrite } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { SignerCertificateFacts } from '../../store/signer-row.ts'
import { insertSigner } from '../../store/writes/signer-writes.ts'
import { authorizeLoginAddress } from './authorize-login-address.ts'
import { authorizeSignerChange } from './authorize-signer-change.ts'
import { checkSigner } from './check-signer.ts'
import { writerOf } from './writer-of.ts'

/** The body of a POST or PUT, with its parsed and accepted certificate; undefined when the body has none. */
export interface SignerWrite {
  readonly id: string
  readonly body: ExtJwtSignerWrite
  readonly certificate: SignerCertificateFacts | undefined
  readonly nearMisses?: readonly NearMiss[]
}

export const createSigner = operation({
  name: 'signer.create',
  access: { entity: 'external-jwt-signer', action: 'create' },
  async run(tx, { id, body, certificate, nearMisses = [] }: SignerWrite): Promise<void> {
    const settings = signerFromBody(body)
    authorizeSignerChange(tx.actor, undefined, settings, { isSecurityWrite: true })
    await authorizeLoginAddress(tx, id, undefined, settings)
    const facts = settings.certPem === null ? null : (certificate ?? null)
    await checkSigner(tx, id, settings, facts)
    await insertSigner(tx, id, {
      settings,
      certificate: facts,
      nearMisses,
      trust: trustAfterWrite(writerOf(tx), tx.now),
    })
  },
})
