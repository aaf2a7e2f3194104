import type { AnswerName, PermissionAction, PermissionEntity } from '@countersign/contract'
import { type BodySchema, newIdInOrder } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { created, done } from '../pipeline/envelope.ts'
import type { ParameterName } from '../pipeline/parameters.ts'
import type { Answer, Method, Route } from '../pipeline/route.ts'
import { describe, type RouteNote } from '../pipeline/route-note.ts'

/** A kind of thing that administrators make, look at, change and take away, each in the same six calls. */
export interface Resource<WriteBody, PatchBody> {
  /** What the collection is called in paths; it may have more than one name. */
  readonly names: readonly string[]
  readonly entity: PermissionEntity
  /** What the OpenAPI document calls it. */
  readonly words: {
    readonly answer: AnswerName
    readonly noun: string
    readonly plural: string
    readonly listParameters?: readonly ParameterName[]
  }
  readonly writeSchema: BodySchema
  readonly patchSchema: BodySchema
  list(call: Call): Promise<Answer>
  get(call: Call, id: string): Promise<Answer>
  create(call: Call, id: string, body: WriteBody): Promise<void>
  replace(call: Call, id: string, body: WriteBody): Promise<void>
  patch(call: Call, id: string, body: PatchBody): Promise<void>
  remove(call: Call, id: string): Promise<void>
}

const IF_MATCH = { parameters: ['ifMatch'] } as const

/** The rows of a resource: list, create, detail, PUT, PATCH and DELETE, with the permission that each needs. */
export function resourceRoutes<WriteBody, PatchBody>(clock: Clock, resource: Resource<WriteBody, PatchBody>): Route[] {
  const { entity, writeSchema, patchSchema } = resource
  const { answer, noun, plural, listParameters } = resource.words
  const listNote = listParameters ? { parameters: listParameters } : {}
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
    const body = schema && { schema, optional: false, parameter }
    return { method, paths, access: { entity, action }, bodyCap: 'management', body, note, handle }
  }
  return [
    row('GET', collection, 'read', null, describe.list(answer, `List ${plural}`, listNote), (call) =>
      resource.list(call),
    ),
    row('POST', collection, 'create', writeSchema, describe.created(`Create ${noun}`), async (call) => {
      const id = newIdInOrder(clock.now())
      await resource.create(call, id, call.body as WriteBody)
      return created(call.collection, id)
    }),
    row('GET', one, 'read', null, describe.one(answer, `Get ${noun}`), (call) => resource.get(call, idOf(call))),
    row('PUT', one, 'update', writeSchema, describe.done(`Replace ${noun}`, IF_MATCH), async (call) => {
      await resource.replace(call, idOf(call), call.body as WriteBody)
      return done()
    }),
    row(
      'PATCH',
      one,
      'update',
      patchSchema,
      describe.done(`Change the members of ${noun} that are given`, IF_MATCH),
      async (call) => {
        await resource.patch(call, idOf(call), call.body as PatchBody)
        return done()
      },
    ),
    row('DELETE', one, 'delete', null, describe.done(`Delete ${noun}`, IF_MATCH), async (call) => {
      await resource.remove(call, idOf(call))
      return done()
    }),
  ]
}

/** The id in the path of a call about one thing. */
export function idOf({ params }: Call): string {
  return params.id ?? ''
}
