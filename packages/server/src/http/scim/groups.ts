import { readScimGroup, readScimGroupPatch, type ScimGroupChange } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { countMembers, findScimGroups, loadMembers } from '../../store/reads/scim-group-reads.ts'
import { listScimGroupIds } from '../../store/reads/scim-list-reads.ts'
import type { Call } from '../pipeline/call.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { isSelected, readSelection, selectAttributes } from './scim-attributes.ts'
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
import { groupView } from './scim-views.ts'

/** A page of groups ends before it has more members, so that its memory is bounded. It has at least one group. */
const MAX_MEMBERS_OF_PAGE = 20_000

/** The groups of a signer. */
export function groupRoutes({ store, clock, scim }: ScimRouteParts, { signerOf, baseUrlOf }: ScimContext): Route[] {
  const show = async (call: Call, signerId: string, ids: readonly string[]) => {
    const selection = readSelection(call.query)
    const groups = await findScimGroups(store.db, signerId, ids)
    const members = isSelected(selection, 'members')
      ? await loadMembers(
          store.db,
          groups.map(({ id }) => id),
        )
      : undefined
    return groups.map((group) => {
      const view = groupView(group, members && (members.get(group.id) ?? []), baseUrlOf(call))
      return { meta: view.meta, shown: selectAttributes(view, selection) }
    })
  }

  const showOne = async (call: Call, id: string, status = 200): Promise<RouteResponse> => {
    const [group] = await show(call, (await signerOf(call)).id, [id])
    if (!group) throw notFound('group', id)
    return resourceResponse(status, group.shown, group.meta)
  }

  const idsOfPage = async (call: Call, ids: readonly string[]): Promise<readonly string[]> => {
    if (!isSelected(readSelection(call.query), 'members')) return ids
    const counts = await countMembers(store.db, ids)
    let sum = 0
    const end = ids.findIndex((id) => {
      sum += counts.get(id) ?? 0
      return sum > MAX_MEMBERS_OF_PAGE
    })
    return end < 0 ? ids : ids.slice(0, Math.max(1, end))
  }

  return [
    scimRoute('GET', '/Groups', async (call) => {
      const { filter, startIndex, count } = readPaging(call.query)
      const { id } = await signerOf(call)
      const page = { filter, offset: startIndex - 1, limit: count, now: clock.now() }
      const { ids, total } = await listScimGroupIds(store, id, page)
      const groups = await show(call, id, await idsOfPage(call, ids))
      return listResponse(
        groups.map(({ shown }) => shown),
        { total, startIndex },
      )
    }),
    scimRoute('POST', '/Groups', async (call) => {
      const id = await scim.createGroup(scimRequest(call), readScimGroup(scimBody(call)))
      return showOne(call, id, 201)
    }),
    scimRoute('GET', '/Groups/:id', (call) => showOne(call, call.params.id ?? '')),
    scimRoute('PUT', '/Groups/:id', async (call) => {
      const { id = '' } = call.params
      const { group, members } = readScimGroup(scimBody(call))
      const changes: ScimGroupChange[] = [
        { kind: 'displayName', value: group.displayName },
        { kind: 'externalId', value: group.externalId },
        ...(members ? [{ kind: 'members', op: 'replace', ids: members } as const] : []),
      ]
      await scim.updateGroup(scimRequest(call), id, changes)
      return showOne(call, id)
    }),
    scimRoute('PATCH', '/Groups/:id', async (call) => {
      // The members of a large group would be a long response to each change of one of them.
      await scim.updateGroup(scimRequest(call), call.params.id ?? '', readScimGroupPatch(scimBody(call)))
      return NO_CONTENT
    }),
    scimRoute('DELETE', '/Groups/:id', async (call) => {
      await scim.deleteGroup(scimRequest(call), call.params.id ?? '')
      return NO_CONTENT
    }),
  ]
}
