import { operation } from '../../store/operation.ts'
import { getSigner } from '../../store/reads/signer-reads.ts'
import { unchangedSigner, updateSigner } from '../../store/writes/signer-writes.ts'

/** Makes a signer trusted as it is. Its last writer stays recorded. */
export const trustSigner = operation({
  name: 'signer.trust',
  access: { entity: 'admin', action: 'change' },
  target: 'externalJwtSigners',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const signer = await getSigner(tx.db, id)
    if (signer.trust.isTrusted) return
    const trust = { ...signer.trust, isTrusted: true }
    await updateSigner(tx, signer, { ...unchangedSigner(signer), trust })
  },
})
