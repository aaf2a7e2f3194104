import type { Ca } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import { type BulkAction, previewEach } from '../../list/bulk-action.ts'

const setLogin = (label: string, isAuthEnabled: boolean, effect: string, already: string): BulkAction<Ca> => ({
  label,
  isDangerous: !isAuthEnabled,
  need: 'PATCH /cas/:id',
  preview: (cas) =>
    previewEach(controller.cas, cas, ({ id, version, ...ca }) =>
      ca.isAuthEnabled === isAuthEnabled
        ? { effect: already }
        : { effect, run: () => controller.cas.patch(id, { isAuthEnabled }, { ifMatch: version }) },
    ),
})

export const CA_BULK_ACTIONS: readonly BulkAction<Ca>[] = [
  setLogin('Enable login', true, 'Its certificates log in', 'Login is enabled already'),
  setLogin(
    'Disable login',
    false,
    'Its certificates are refused, and sessions that rest on them end',
    'Login is disabled already',
  ),
  {
    label: 'Delete',
    isDangerous: true,
    need: 'DELETE /cas/:id',
    preview: (cas) =>
      previewEach(controller.cas, cas, ({ id, version }) => ({
        effect: 'Deleted for good. Its certificates are refused, and sessions that rest on them end',
        run: () => controller.cas.delete(id, { ifMatch: version }),
      })),
  },
]
