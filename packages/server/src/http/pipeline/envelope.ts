import { ERRORS, wireNameOf } from '@countersign/contract'
import { type AppError, instantText } from '@countersign/core'
import { entityTag } from '../../store/row-version.ts'
import type { RouteResponse } from './route.ts'

const ERROR_META = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' }

/** The JSON text of a body. Ends with a line feed, as on existing servers. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** The error envelope: code, constant message, the public cause if there is one, and the name of the entity that has the refused value. */
export function errorEnvelope(error: AppError, requestId: string) {
  const { code, publicCause } = error
  const { conflictsWith, ...members } = { conflictsWith: undefined, ...publicCause }
  const cause = publicCause && ('field' in publicCause ? members : { code: 'UNHANDLED', ...members })
  return {
    error: {
      ...(cause && { cause }),
      ...(conflictsWith !== undefined && { conflictsWith }),
      code: wireNameOf(code),
      message: ERRORS[code].message,
      requestId,
    },
    meta: ERROR_META,
  }
}

/** The envelope of a single entity. */
export const detail = (data: unknown) => ({ status: 200, json: { data, meta: {} } })

/** Adds the `ETag` of an entity, which callers send back in `If-Match`. */
export function withVersion(response: RouteResponse, updatedAt: number): RouteResponse {
  return { ...response, headers: { ...response.headers, etag: entityTag(updatedAt) } }
}

/** The envelope of a change without a result. */
export const done = () => ({ status: 200, json: { data: {}, meta: {} } })

export const created = (collection: string, id: string) => ({
  status: 201,
  json: { data: { _links: selfLink(collection, id), id }, meta: {} },
})

export function selfLink(collection: string, id: string) {
  return { self: { href: `./${collection}/${id}` } }
}

/** A reference to another entity, as a member of an entity. */
export function entityReference(collection: string, id: string, name: string) {
  return { _links: selfLink(collection, id), entity: collection, id, name }
}

/** Instants with exactly three fractional digits. */
export const timestamp = instantText

/** What existing clients expect for a missing instant in a member that cannot be null. */
export const NO_INSTANT = '0001-01-01T00:00:00.000Z'
