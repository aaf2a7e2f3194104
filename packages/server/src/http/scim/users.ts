import { readScimUser, readScimUserPatch, saysInactive } from '@countersign/core'
import type { UserUpdate } from '../../operations/scim/scim-users.ts'
import { notFound } from '../../store/not-found.ts'
import { listScimUserIds, loadGroupsOfUsers } from '../../store/reads/scim-list-reads.ts'
import { findScimUser, findScimUsers, type ScimSigner, type StoredScimUser } from '../../store/reads/scim-user-reads.ts'
import type { Call } from '../pipeline/call.ts'
import { findNotModified } from '../pipeline/not-modified.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { isSelected, readSelection, type ScimSelection, selectAttributes } from './scim-attributes.ts'
import {
  listResponse,
  listRoutes,
  NO_CONTENT,
  resourceHeaders,
  resourceResponse,
  scimBody,
  scimRequest,
  scimRoute,
  selectionOf,
} from './scim-call.ts'
import type { ScimContext, ScimRouteParts } from './scim-parts.ts'
import { userView } from './scim-views.ts'

/** The users of a signer. */
export function userRoutes({ store, clock, scim }: ScimRouteParts, { signerOf, baseUrlOf }: ScimContext): Route[] {
  const view = async (call: Call, signer: ScimSigner, users: readonly StoredScimUser[], selection: ScimSelection) => {
    const ids = isSelected(selection, 'groups') ? users.map(({ id }) => id) : []
    const groups = await loadGroupsOfUsers(store, signer.id, ids)
    const context = { baseUrl: baseUrlOf(call), now: clock.now() }
    return users.map((user) => userView(user, groups.get(user.id) ?? [], context))
  }

  /** `isRead`: whether a caller that has the version already needs no response. */
  const showOne = async (
    call: Call,
    id: string,
    { status = 200, selection, isRead = false }: { status?: number; selection: ScimSelection; isRead?: boolean },
  ): Promise<RouteResponse> => {
    const signer = await signerOf(call)
    const user = await findScimUser(store.db, signer, id)
    const [shown] = user ? await view(call, signer, [user], selection) : []
    if (!user || !shown) throw notFound('user', id)
    // The end of a temporary disabling changes `active`, but not the version.
    const unchanged =
      isRead && user.disabledUntil === null ? findNotModified(call, resourceHeaders(shown.meta)) : undefined
    return unchanged ?? resourceResponse(status, selectAttributes(shown, selection), shown.meta)
  }

  const updateRoute = (method: 'PUT' | 'PATCH', read: (call: Call) => UserUpdate): Route =>
    scimRoute(method, '/Users/:id', async (call) => {
      const { id = '' } = call.params
      const selection = selectionOf(call)
      const isDeparture = () => saysInactive(call.untrustedBytes)
      await scim.updateUser(scimRequest(call), id, { read: () => read(call), isDeparture })
      return showOne(call, id, { selection })
    })

  return [
    ...listRoutes('/Users', async (call, { filter, startIndex, count, ...names }) => {
      const selection = readSelection(names)
      const signer = await signerOf(call)
      const page = { filter, offset: startIndex - 1, limit: count, now: clock.now(), baseUrl: baseUrlOf(call) }
      const { ids, total } = await listScimUserIds(store, signer, page)
      const users = await view(call, signer, await findScimUsers(store.db, signer, ids), selection)
      return listResponse(
        users.map((user) => selectAttributes(user, selection)),
        { total, startIndex },
      )
    }),
    scimRoute('POST', '/Users', async (call) => {
      const selection = selectionOf(call)
      const id = await scim.createUser(scimRequest(call), readScimUser(scimBody(call)))
      return showOne(call, id, { status: 201, selection })
    }),
    scimRoute('GET', '/Users/:id', (call) =>
      showOne(call, call.params.id ?? '', { selection: selectionOf(call), isRead: true }),
    ),
    updateRoute('PUT', (call) => ({ kind: 'put', ...readScimUser(scimBody(call)) })),
    updateRoute('PATCH', (call) => ({ kind: 'patch', changes: readScimUserPatch(scimBody(call)) })),
    scimRoute('DELETE', '/Users/:id', async (call) => {
      await scim.deleteUser(scimRequest(call), call.params.id ?? '')
      return NO_CONTENT
    }),
  ]
}
