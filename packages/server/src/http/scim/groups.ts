import { readScimGroup, readScimGroupPatch, type ScimGroupChange } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import {
  findScimGroup,
  findScimGroups,
  MEMBER_BATCH,
  type StoredScimGroup,
} from '../../store/reads/scim-group-reads.ts'
import { countMembers, listScimGroupIds, loadShownMembers } from '../../store/reads/scim-list-reads.ts'
import type { Call } from '../pipeline/call.ts'
import { findNotModified } from '../pipeline/not-modified.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { readSelection, type ScimSelection, selectAttributes } from './scim-attributes.ts'
import {
  listHead,
  listRoutes,
  NO_CONTENT,
  resourceHeaders,
  scimBody,
  scimRequest,
  scimRoute,
  selectionOf,
  textResponse,
} from './scim-call.ts'
import type { ScimContext, ScimRouteParts } from './scim-parts.ts'
import { groupView, memberTexts, selectedMemberParts } from './scim-views.ts'

/** A page of groups ends before it has more members. It has at least one group. */
const MAX_MEMBERS_OF_PAGE = 20_000

/** The groups of a signer. */
export function groupRoutes({ store, clock, scim }: ScimRouteParts, { signerOf, baseUrlOf }: ScimContext): Route[] {
  /** The text of a group, in pieces. */
  async function* textOf(call: Call, group: StoredScimGroup, selection: ScimSelection): AsyncGenerator<string> {
    const baseUrl = baseUrlOf(call)
    const parts = selectedMemberParts(selection)
    const shown = JSON.stringify(selectAttributes(groupView(group, baseUrl), selection))
    if (parts.length === 0) return yield shown
    yield `${shown.slice(0, -1)},"members":[`
    let separator = ''
    for await (const members of loadShownMembers(store, group, { withDisplay: parts.includes('display') })) {
      yield separator + memberTexts(members, parts, baseUrl)
      separator = ','
      if (members.length === MEMBER_BATCH) await call.recheckCaller()
    }
    yield ']}'
  }

  /** `isRead`: whether a caller that has the version already needs no response. */
  const showOne = async (
    call: Call,
    id: string,
    { status = 200, selection, isRead = false }: { status?: number; selection: ScimSelection; isRead?: boolean },
  ): Promise<RouteResponse> => {
    const group = await findScimGroup(store.db, (await signerOf(call)).id, id)
    if (!group) throw notFound('group', id)
    const { meta } = groupView(group, baseUrlOf(call))
    const unchanged = isRead ? findNotModified(call, resourceHeaders(meta)) : undefined
    return unchanged ?? textResponse(textOf(call, group, selection), { status, headers: resourceHeaders(meta) })
  }

  async function* textOfList(
    call: Call,
    groups: readonly StoredScimGroup[],
    { selection, ...list }: { readonly selection: ScimSelection; readonly total: number; readonly startIndex: number },
  ): AsyncGenerator<string> {
    yield `${JSON.stringify(listHead(groups.length, list)).slice(0, -1)},"Resources":[`
    for (const [at, group] of groups.entries()) {
      if (at > 0) yield ','
      yield* textOf(call, group, selection)
    }
    yield ']}'
  }

  const idsOfPage = async (signerId: string, ids: readonly string[]): Promise<readonly string[]> => {
    if (ids.length <= 1) return ids
    const counts = await countMembers(store, signerId, ids, MAX_MEMBERS_OF_PAGE)
    let sum = 0
    const end = ids.findIndex((id) => {
      sum += counts.get(id) ?? 0
      return sum > MAX_MEMBERS_OF_PAGE
    })
    return end < 0 ? ids : ids.slice(0, Math.max(1, end))
  }

  return [
    ...listRoutes('/Groups', async (call, { filter, startIndex, count, ...names }) => {
      const selection = readSelection(names)
      const { id } = await signerOf(call)
      const page = { filter, offset: startIndex - 1, limit: count, now: clock.now(), baseUrl: baseUrlOf(call) }
      const { ids, total } = await listScimGroupIds(store, id, page)
      const shown = selectedMemberParts(selection).length > 0 ? await idsOfPage(id, ids) : ids
      const groups = await findScimGroups(store.db, id, shown)
      return textResponse(textOfList(call, groups, { selection, total, startIndex }), { status: 200 })
    }),
    scimRoute('POST', '/Groups', async (call) => {
      const selection = selectionOf(call)
      const id = await scim.createGroup(scimRequest(call), readScimGroup(scimBody(call)))
      return showOne(call, id, { status: 201, selection })
    }),
    scimRoute('GET', '/Groups/:id', (call) =>
      showOne(call, call.params.id ?? '', { selection: selectionOf(call), isRead: true }),
    ),
    scimRoute('PUT', '/Groups/:id', async (call) => {
      const { id = '' } = call.params
      const selection = selectionOf(call)
      const { group, members } = readScimGroup(scimBody(call))
      const changes: ScimGroupChange[] = [
        { kind: 'displayName', value: group.displayName },
        { kind: 'externalId', value: group.externalId },
        ...(members ? [{ kind: 'members', op: 'replace', ids: members } as const] : []),
      ]
      await scim.updateGroup(scimRequest(call), id, changes)
      return showOne(call, id, { selection })
    }),
    scimRoute('PATCH', '/Groups/:id', async (call) => {
      const { id = '' } = call.params
      const selection = selectionOf(call)
      await scim.updateGroup(scimRequest(call), id, readScimGroupPatch(scimBody(call)))
      // The members of a large group would be a long response to each change of one of them. RFC 7644, section 3.5.2: not when attributes are named.
      return selection.attributes ? showOne(call, id, { selection }) : NO_CONTENT
    }),
    scimRoute('DELETE', '/Groups/:id', async (call) => {
      await scim.deleteGroup(scimRequest(call), call.params.id ?? '')
      return NO_CONTENT
    }),
  ]
}
