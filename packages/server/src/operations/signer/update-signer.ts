import type { ExtJwtSignerPatch } from '@countersign/contract'
import { patchedSigner, replacedSigner, type SignerSettings } from '@countersign/core'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { getSigner } from '../../store/reads/signer-reads.ts'
import type { SignerCertificateFacts, StoredSigner } from '../../store/signer-row.ts'
import { updateSigner } from '../../store/writes/signer-writes.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'
import { authorizeSignerChange } from './authorize-signer-change.ts'
import { checkSigner } from './check-signer.ts'
import type { SignerWrite } from './create-signer.ts'

const ACCESS = { entity: 'external-jwt-signer', action: 'update' } as const

export const replaceSigner = operation({
  name: 'signer.replace',
  access: ACCESS,
  target: 'externalJwtSigners',
  async run(tx, { id, body, certificate }: SignerWrite): Promise<void> {
    const current = await getSigner(tx.db, id)
    await changeSigner(tx, current, replacedSigner(current, body), certificate)
  },
})

export interface SignerPatch {
  readonly id: string
  readonly body: ExtJwtSignerPatch
  readonly certificate: SignerCertificateFacts | undefined
}

export const patchSigner = operation({
  name: 'signer.patch',
  access: ACCESS,
  target: 'externalJwtSigners',
  async run(tx, { id, body, certificate }: SignerPatch): Promise<void> {
    const current = await getSigner(tx.db, id)
    const next = patchedSigner(current, body)
    if (next !== current) await changeSigner(tx, current, next, certificate)
  },
})

async function changeSigner(
  tx: AuthorizedTransaction,
  current: StoredSigner,
  next: SignerSettings,
  given: SignerCertificateFacts | undefined,
): Promise<void> {
  const { isAdmin } = tx.actor
  authorizeSignerChange(tx.actor, current, next)
  const certificate = next.certPem === null ? null : (given ?? current.certificate)
  await checkSigner(tx, current.id, next, certificate)
  const update = () => updateSigner(tx, current, { settings: next, certificate, writtenByAdmin: isAdmin })
  await (mayLockOut(current, next, isAdmin) ? ensureAdministratorRemains(tx, update) : update())
}

/** Whether administrators that log in by this signer may be unable to afterwards. */
function mayLockOut(current: StoredSigner, next: SignerSettings, writtenByAdmin: boolean): boolean {
  const wasTrusted = current.enabled && current.writtenByAdmin
  return wasTrusted && !(next.enabled && writtenByAdmin && next.useExternalId === current.useExternalId)
}
