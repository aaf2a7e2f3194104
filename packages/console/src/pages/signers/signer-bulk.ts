import { quoteForFilter, type Signer } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import { type BulkAction, previewEach } from '../../list/bulk-action.ts'
import { counted } from '../../show/counted.ts'

const setEnabled = (label: string, enabled: boolean, effect: string, already: string): BulkAction<Signer> => ({
  label,
  isDangerous: !enabled,
  need: 'PATCH /ext-jwt-signers/:id',
  preview: async (signers) => {
    const sessions = enabled ? () => '' : await countSessions(signers)
    return previewEach(controller.signers, signers, ({ id, version, ...signer }) =>
      signer.enabled === enabled
        ? { effect: already }
        : {
            effect: `${effect}${sessions(id)}`,
            run: () => controller.signers.patch(id, { enabled }, { ifMatch: version }),
          },
    )
  },
})

export const SIGNER_BULK_ACTIONS: readonly BulkAction<Signer>[] = [
  setEnabled('Enable', true, 'Its tokens are accepted again.', 'Already enabled'),
  setEnabled('Disable', false, 'Its tokens are refused.', 'Already disabled'),
  {
    label: 'Delete',
    isDangerous: true,
    need: 'DELETE /ext-jwt-signers/:id',
    preview: async (signers) => {
      const sessions = await countSessions(signers)
      return previewEach(controller.signers, signers, ({ id, version }) => ({
        effect: `Deleted for good, unless a policy names it.${sessions(id)}`,
        run: () => controller.signers.delete(id, { ifMatch: version }),
      }))
    },
  },
]

/** Says how many sessions rest on a signer. */
async function countSessions(signers: readonly Signer[]): Promise<(id: string) => string> {
  const counts = new Map<string, number | undefined>()
  for (const { id } of signers) {
    const query = { filter: `signerId = ${quoteForFilter(id)}`, limit: 1 }
    const total = await controller.apiSessions.page(query).then(
      (page) => page.total,
      () => undefined,
    )
    counts.set(id, total)
  }
  return (id) => {
    const count = counts.get(id)
    return count === undefined
      ? ' Sessions may rest on it.'
      : ` ${counted(count, 'open session rests', 'open sessions rest')} on it.`
  }
}
