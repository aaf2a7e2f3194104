import { readScimUser, readScimUserPatch } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { listScimUserIds } from '../../store/reads/scim-list-reads.ts'
import { findScimUsers, loadGroupsOfUsers, type ScimSigner } from '../../store/reads/scim-user-reads.ts'
import type { Call } from '../pipeline/call.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { readSelection, selectAttributes } from './scim-attributes.ts'
import {
  listResponse,
  NO_CONTENT,
  readPaging,
  resourceResponse,
  scimBody,
  scimRequest,
  scimRoute,
} from './scim-call.ts'
import type { ScimContext, ScimRouteParts } from './scim-parts.ts'
import { userView } from './scim-views.ts'

/** The users of a signer. */
export function userRoutes({ store, clock, scim }: ScimRouteParts, { signerOf, baseUrlOf }: ScimContext): Route[] {
  const show = async (call: Call, signer: ScimSigner, ids: readonly string[]) => {
    const users = await findScimUsers(store.db, signer, ids)
    const groups = await loadGroupsOfUsers(store.db, signer.id, ids)
    const context = { baseUrl: baseUrlOf(call), now: clock.now() }
    return users.map((user) => userView(user, groups.get(user.id) ?? [], context))
  }

  const showOne = async (call: Call, id: string, status = 200): Promise<RouteResponse> => {
    const selection = readSelection(call.query)
    const [user] = await show(call, await signerOf(call), [id])
    if (!user) throw notFound('user', id)
    return resourceResponse(status, selectAttributes(user, selection), user.meta)
  }

  return [
    scimRoute('GET', '/Users', async (call) => {
      const { filter, startIndex, count } = readPaging(call.query)
      const selection = readSelection(call.query)
      const signer = await signerOf(call)
      const page = { filter, offset: startIndex - 1, limit: count, now: clock.now(), baseUrl: baseUrlOf(call) }
      const { ids, total } = await listScimUserIds(store, signer, page)
      const users = await show(call, signer, ids)
      return listResponse(
        users.map((user) => selectAttributes(user, selection)),
        { total, startIndex },
      )
    }),
    scimRoute('POST', '/Users', async (call) => {
      const id = await scim.createUser(scimRequest(call), readScimUser(scimBody(call)))
      return showOne(call, id, 201)
    }),
    scimRoute('GET', '/Users/:id', (call) => showOne(call, call.params.id ?? '')),
    scimRoute('PUT', '/Users/:id', async (call) => {
      const { id = '' } = call.params
      await scim.updateUser(scimRequest(call), id, { kind: 'put', ...readScimUser(scimBody(call)) })
      return showOne(call, id)
    }),
    scimRoute('PATCH', '/Users/:id', async (call) => {
      const { id = '' } = call.params
      await scim.updateUser(scimRequest(call), id, { kind: 'patch', changes: readScimUserPatch(scimBody(call)) })
      return showOne(call, id)
    }),
    scimRoute('DELETE', '/Users/:id', async (call) => {
      await scim.deleteUser(scimRequest(call), call.params.id ?? '')
      return NO_CONTENT
    }),
  ]
}
