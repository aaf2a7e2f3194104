import { operation } from '../../store/operation.ts'
import { getCa } from '../../store/reads/ca-reads.ts'
import { updateCa } from '../../store/writes/ca-writes.ts'

/** Makes a CA trusted as it is. Its last writer stays recorded. */
export const trustCa = operation({
  name: 'ca.trust',
  access: { entity: 'admin', action: 'change' },
  target: 'cas',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const ca = await getCa(tx.db, id)
    if (ca.trust.isTrusted) return
    await updateCa(tx, ca, { settings: ca, trust: { ...ca.trust, isTrusted: true }, endsSessions: false })
  },
})
