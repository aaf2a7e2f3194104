import type { PermissionAction, PermissionEntity, ResponseName } from '@countersign/contract'
import { type BodySchema, newSortableId, type RequiredPermission } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { created, done } from '../pipeline/envelope.ts'
import type { ParameterName } from '../pipeline/parameters.ts'
import type { Method, Route, RouteBody, RouteResponse } from '../pipeline/route.ts'
import { describe, type RouteNote } from '../pipeline/route-note.ts'

/** What the OpenAPI document calls a resource. `noun` has its article: "an identity". */
interface ResourceWords {
  /** The schema of one entity in responses. */
  readonly schema: ResponseName
  readonly noun: string
  readonly plural: string
  readonly listParameters?: readonly ParameterName[]
}

/** An entity that administrators list, create, read, replace, patch and delete. */
export interface Resource<WriteBody, PatchBody, ReplaceBody = WriteBody> {
  /** The names of the collection in paths. */
  readonly names: readonly string[]
  readonly entity: PermissionEntity | 'event-sink'
  /** The access of all six calls, where there is no permission for single actions. */
  readonly access?: RequiredPermission
  readonly words: ResourceWords
  readonly writeSchema: BodySchema
  /** The body of PUT, where it differs from that of POST. */
  readonly replaceSchema?: BodySchema
  readonly patchSchema: BodySchema
  /** How the bodies treat members that they do not have. */
  readonly unknownMembers?: Pick<RouteBody, 'readOnly' | 'watched'>
  list(call: Call): Promise<RouteResponse>
  get(call: Call, id: string): Promise<RouteResponse>
  create(call: Call, id: string, body: WriteBody): Promise<void>
  replace(call: Call, id: string, body: ReplaceBody): Promise<void>
  patch(call: Call, id: string, body: PatchBody): Promise<void>
  remove(call: Call, id: string): Promise<void>
}

const CHANGE = { parameters: ['ifMatch', 'confirmLockOut'] } as const

/** The notes of the six calls of a resource. */
export function resourceNotes({ schema, noun, plural, listParameters }: ResourceWords) {
  return {
    list: describe.list(schema, `List ${plural}`, listParameters ? { parameters: listParameters } : {}),
    create: describe.created(`Create ${noun}`),
    get: describe.one(schema, `Get ${noun}`),
    replace: describe.done(`Replace ${noun}`, CHANGE),
    patch: describe.done(`Change the given members of ${noun}`, CHANGE),
    remove: describe.done(`Delete ${noun}`, CHANGE),
  }
}

/** The rows of a resource: list, create, detail, PUT, PATCH and DELETE, with the permission that each needs. */
export function resourceRoutes<WriteBody, PatchBody, ReplaceBody = WriteBody>(
  clock: Clock,
  resource: Resource<WriteBody, PatchBody, ReplaceBody>,
): Route[] {
  const { entity, access, writeSchema, replaceSchema = writeSchema, patchSchema, unknownMembers } = resource
  const notes = resourceNotes(resource.words)
  const collection = resource.names.map((name) => `${MANAGEMENT}/${name}`)
  const one = collection.map((path) => `${path}/:id`)
  const parameter = entity.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const row = (
    method: Method,
    paths: readonly string[],
    action: PermissionAction,
    schema: BodySchema | null,
    note: RouteNote,
    handle: Route['handle'],
  ): Route => {
    const body = schema && { schema, optional: false, parameter, ...unknownMembers }
    const needs = access ?? ({ entity: entity as PermissionEntity, action } as const)
    return { method, paths, access: needs, bodyCap: 'management', body, note, handle }
  }
  return [
    row('GET', collection, 'read', null, notes.list, (call) => resource.list(call)),
    row('POST', collection, 'create', writeSchema, notes.create, async (call) => {
      const id = newSortableId(clock.now())
      await resource.create(call, id, call.body as WriteBody)
      return created(call.collection, id)
    }),
    row('GET', one, 'read', null, notes.get, (call) => resource.get(call, idOf(call))),
    row('PUT', one, 'update', replaceSchema, notes.replace, async (call) => {
      await resource.replace(call, idOf(call), call.body as ReplaceBody)
      return done()
    }),
    row('PATCH', one, 'update', patchSchema, notes.patch, async (call) => {
      await resource.patch(call, idOf(call), call.body as PatchBody)
      return done()
    }),
    row('DELETE', one, 'delete', null, notes.remove, async (call) => {
      await resource.remove(call, idOf(call))
      return done()
    }),
  ]
}

/** The `:id` in the path of a call. */
export function idOf({ params }: Call): string {
  return params.id ?? ''
}
