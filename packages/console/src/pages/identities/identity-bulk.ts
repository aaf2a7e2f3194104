import { type Identity, quoteForFilter } from '@countersign/sdk'
import { CallFailed } from '../../api/call-failed.ts'
import { controller } from '../../api/client.ts'
import { MANAGEMENT } from '../../api/paths.ts'
import type { Versioned } from '../../api/versioned.ts'
import { type BulkAction, previewEach } from '../../list/bulk-action.ts'
import { counted } from '../../show/counted.ts'

const PATH = `${MANAGEMENT}/identities`

/** Calls an action of an identity, unless it was changed after it was read. */
function change({ id, version }: Versioned<Identity>, action: string, body?: unknown) {
  const headers = version === undefined ? {} : { 'if-match': version }
  const path = `${PATH}/${encodeURIComponent(id)}${action}`
  return controller.request({ method: 'POST', path, headers, ...(body !== undefined && { body }) })
}

export const IDENTITY_BULK_ACTIONS: readonly BulkAction<Identity>[] = [
  {
    label: 'Enable',
    need: 'POST /identities/:id/enable',
    preview: (identities) =>
      previewEach(controller.identities, identities, (identity) =>
        identity.disabled
          ? { effect: 'Can sign in again', run: () => change(identity, '/enable') }
          : { effect: 'Already enabled' },
      ),
  },
  {
    label: 'Disable',
    isDangerous: true,
    need: 'POST /identities/:id/disable',
    preview: async (identities) => {
      const sessions = await countSessions(identities)
      return previewEach(controller.identities, identities, (identity) =>
        identity.disabled
          ? { effect: 'Already disabled' }
          : {
              effect: `Logins are refused. ${sessions(identity.id)}`,
              run: () => change(identity, '/disable', { durationMinutes: 0 }),
            },
      )
    },
  },
  {
    label: 'Delete',
    isDangerous: true,
    need: 'DELETE /identities/:id',
    preview: async (identities) => {
      const sessions = await countSessions(identities)
      return previewEach(controller.identities, identities, (identity) =>
        identity.isDefaultAdmin
          ? { effect: 'The default administrator stays' }
          : {
              effect: `${describeLoss(identity)} ${sessions(identity.id)}`,
              run: () => controller.identities.delete(identity.id, { ifMatch: identity.version }),
            },
      )
    },
  },
]

function describeLoss({ authenticators, enrollment }: Identity): string {
  const credentials = Object.keys(authenticators ?? {}).length + Object.keys(enrollment ?? {}).length
  if (credentials === 0) return 'Deleted for good.'
  return `Deleted for good, with ${credentials === 1 ? 'its credential' : `${credentials} credentials and invitations`}.`
}

const NOT_COUNTED = { items: [], total: 1 }

/** A session that may change identities need not be one that may see their sessions. */
function unlessForbidden(error: unknown) {
  if (error instanceof CallFailed && error.status === UNAUTHORIZED) return NOT_COUNTED
  throw error
}

const UNAUTHORIZED = 401

/** The ids must fit into a URL. */
const IDS_AT_ONCE = 50
const MAX_PAGE = 500

/** Says how many sessions of an identity end. */
async function countSessions(identities: readonly Identity[]): Promise<(id: string) => string> {
  const counts = new Map<string, number>()
  let isCut = false
  for (let start = 0; start < identities.length; start += IDS_AT_ONCE) {
    const ids = identities.slice(start, start + IDS_AT_ONCE).map(({ id }) => quoteForFilter(id))
    const query = { filter: `identity in [${ids.join(', ')}]`, limit: MAX_PAGE }
    const { items, total } = await controller.apiSessions.page(query).catch(unlessForbidden)
    isCut ||= total > items.length
    for (const { identityId } of items) counts.set(identityId, (counts.get(identityId) ?? 0) + 1)
  }
  return (id) => {
    const count = counts.get(id) ?? 0
    if (isCut) return count === 0 ? 'Its sessions end.' : `At least ${counted(count, 'session ends', 'sessions end')}.`
    return count === 0 ? 'No session ends.' : `${counted(count, 'session ends', 'sessions end')}.`
  }
}
