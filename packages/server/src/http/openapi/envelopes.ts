import { ERRORS, wireNameOf } from '@countersign/contract'
import type { JsonSchema } from './to-json-schema.ts'

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }

/** The envelopes of responses. */
export const ENVELOPES: Readonly<Record<string, JsonSchema>> = {
  Meta: { type: ['object', 'null'], description: 'Not needed by clients' },
  ListMeta: {
    type: 'object',
    properties: {
      filterableFields: { type: 'array', items: text, description: 'The symbols that filters can use' },
      pagination: {
        type: 'object',
        required: ['limit', 'offset', 'totalCount'],
        properties: {
          limit: { type: 'integer', description: '-1 when there is no limit' },
          offset: { type: 'integer' },
          totalCount: { type: 'integer', description: 'Number of matching entries on all pages' },
        },
      },
    },
  },
  Created: {
    type: 'object',
    required: ['data', 'meta'],
    properties: {
      data: {
        type: 'object',
        required: ['id', '_links'],
        properties: { id: text, _links: { type: 'object', additionalProperties: { type: 'object' } } },
      },
      meta: ref('Meta'),
    },
  },
  Done: {
    type: 'object',
    required: ['data', 'meta'],
    properties: { data: { type: 'object' }, meta: ref('Meta') },
  },
  Error: {
    type: 'object',
    required: ['error', 'meta'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'requestId'],
        properties: {
          code: {
            type: 'string',
            enum: [...new Set(Object.keys(ERRORS).map((code) => wireNameOf(code as keyof typeof ERRORS)))].toSorted(),
            description: 'For programs, together with the status',
          },
          message: { ...text, description: 'Constant for each code' },
          requestId: { ...text, description: 'Identifies the request in the log' },
          cause: {
            type: 'object',
            description: 'Either `field`, `reason` and `value`, or a `message`',
            properties: { field: text, reason: text, value: text, code: text, message: text },
          },
          conflictsWith: { ...text, description: 'The name of the item that already has the refused value' },
        },
      },
      meta: { type: 'object', properties: { apiVersion: text, apiEnrollmentVersion: text } },
    },
  },
}

const error = (description: string) => ({ description, content: { 'application/json': { schema: ref('Error') } } })

/** The error responses, by name. */
export const ERROR_RESPONSES: Readonly<Record<string, object>> = {
  BadRequest: error('The request is invalid; `cause` gives the reason'),
  Unauthorized: error('No valid session, a missing second factor, or no permission'),
  NotFound: error('Not found'),
  Conflict: error('The change conflicts with the current state; `cause` gives the reason'),
  PreconditionFailed: error('The current version is not the one in `If-Match`'),
  PreconditionRequired: error('The header `If-Match` is missing'),
  Refused: error('Any other error: too large, too many requests, timeout, or a server error'),
}

export function dataEnvelope(data: JsonSchema): JsonSchema {
  return { type: 'object', required: ['data', 'meta'], properties: { data, meta: ref('Meta') } }
}

export function listEnvelope(items: JsonSchema): JsonSchema {
  const data = { type: 'array', items }
  return { type: 'object', required: ['data', 'meta'], properties: { data, meta: ref('ListMeta') } }
}
