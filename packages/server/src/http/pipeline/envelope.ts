import { ERRORS, wireNameOf } from '@countersign/contract'
import { type AppError, instantText } from '@countersign/core'
import { entityTag } from '../../store/row-version.ts'
import type { Answer } from './route.ts'

const ERROR_META = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' }

/** JSON as it leaves: existing servers end it with a line feed. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/** The error envelope: code and constant message, and what the error lets the caller know. */
export function errorEnvelope(error: AppError, requestId: string) {
  const { code, publicCause } = error
  const cause = publicCause && ('field' in publicCause ? publicCause : { code: 'UNHANDLED', ...publicCause })
  return {
    error: { ...(cause && { cause }), code: wireNameOf(code), message: ERRORS[code].message, requestId },
    meta: ERROR_META,
  }
}

/** The envelope of a single thing. */
export const detail = (data: unknown) => ({ status: 200, json: { data, meta: {} } })

/** An answer about one thing, with the version that `If-Match` takes. */
export function withVersion(answer: Answer, updatedAt: number): Answer {
  return { ...answer, headers: { etag: entityTag(updatedAt) } }
}

/** The envelope of a change that has nothing to tell. */
export const done = () => ({ status: 200, json: { data: {}, meta: {} } })

export const created = (collection: string, id: string) => ({
  status: 201,
  json: { data: { _links: selfLink(collection, id), id }, meta: {} },
})

export function selfLink(collection: string, id: string) {
  return { self: { href: `./${collection}/${id}` } }
}

/** A reference to another entity, as it stands inside an entity. */
export function entityReference(collection: string, id: string, name: string) {
  return { _links: selfLink(collection, id), entity: collection, id, name }
}

/** Instants with exactly three fractional digits. */
export const timestamp = instantText

/** What existing clients expect where there is no instant but the member may not be null. */
export const NO_INSTANT = '0001-01-01T00:00:00.000Z'
