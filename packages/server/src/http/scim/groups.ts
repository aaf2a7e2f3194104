import { readScimGroup, readScimGroupPatch, type ScimGroupChange } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import {
  countMembers,
  findScimGroup,
  findScimGroups,
  loadMembers,
  type StoredScimGroup,
} from '../../store/reads/scim-group-reads.ts'
import { listScimGroupIds } from '../../store/reads/scim-list-reads.ts'
import type { Call } from '../pipeline/call.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { isSelected, readSelection, selectAttributes } from './scim-attributes.ts'
import {
  listHead,
  NO_CONTENT,
  readPaging,
  resourceHeaders,
  scimBody,
  scimRequest,
  scimRoute,
  textResponse,
} from './scim-call.ts'
import type { ScimContext, ScimRouteParts } from './scim-parts.ts'
import { groupView, memberTexts } from './scim-views.ts'

/** A page of groups ends before it has more members. It has at least one group. */
const MAX_MEMBERS_OF_PAGE = 20_000
/** Responses with more members are sent while they are read. */
const MAX_MEMBERS_OF_TEXT = 2_000

/** The groups of a signer. */
export function groupRoutes({ store, clock, scim }: ScimRouteParts, { signerOf, baseUrlOf }: ScimContext): Route[] {
  const withMembers = (call: Call) => isSelected(readSelection(call.query), 'members')

  /** The text of a group, in pieces. */
  async function* textOf(call: Call, group: StoredScimGroup): AsyncGenerator<string> {
    const shown = JSON.stringify(selectAttributes(groupView(group, baseUrlOf(call)), readSelection(call.query)))
    if (!withMembers(call)) return yield shown
    yield `${shown.slice(0, -1)},"members":[`
    let separator = ''
    for await (const ids of loadMembers(store.db, group.id)) {
      yield separator + memberTexts(ids)
      separator = ','
      if (ids.length === MAX_MEMBERS_OF_TEXT) await call.recheckCaller()
    }
    yield ']}'
  }

  const memberCount = async (call: Call, ids: readonly string[]) =>
    withMembers(call) ? sumOf((await countMembers(store.db, ids)).values()) : 0

  const showOne = async (call: Call, id: string, status = 200): Promise<RouteResponse> => {
    const group = await findScimGroup(store.db, (await signerOf(call)).id, id)
    if (!group) throw notFound('group', id)
    const { meta } = groupView(group, baseUrlOf(call))
    return textResponse(textOf(call, group), {
      status,
      isLong: (await memberCount(call, [id])) > MAX_MEMBERS_OF_TEXT,
      headers: resourceHeaders(meta),
    })
  }

  async function* textOfList(
    call: Call,
    groups: readonly StoredScimGroup[],
    list: { readonly total: number; readonly startIndex: number },
  ): AsyncGenerator<string> {
    yield `${JSON.stringify(listHead(groups.length, list)).slice(0, -1)},"Resources":[`
    for (const [at, group] of groups.entries()) {
      if (at > 0) yield ','
      yield* textOf(call, group)
    }
    yield ']}'
  }

  const idsOfPage = async (call: Call, ids: readonly string[]): Promise<readonly string[]> => {
    if (!withMembers(call)) return ids
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
      const page = { filter, offset: startIndex - 1, limit: count, now: clock.now(), baseUrl: baseUrlOf(call) }
      const { ids, total } = await listScimGroupIds(store, id, page)
      const shown = await idsOfPage(call, ids)
      const groups = await findScimGroups(store.db, id, shown)
      const isLong = (await memberCount(call, shown)) > MAX_MEMBERS_OF_TEXT
      return textResponse(textOfList(call, groups, { total, startIndex }), { status: 200, isLong })
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

const sumOf = (counts: Iterable<number>): number => [...counts].reduce((sum, count) => sum + count, 0)
