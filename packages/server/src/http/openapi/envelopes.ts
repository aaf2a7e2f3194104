import { ERRORS, wireNameOf } from '@countersign/contract'
import type { JsonSchema } from './to-json-schema.ts'

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }

/** What is around the data of every answer. */
export const ENVELOPES: Readonly<Record<string, JsonSchema>> = {
  Meta: { type: ['object', 'null'], description: 'Nothing that a client needs' },
  ListMeta: {
    type: 'object',
    properties: {
      filterableFields: { type: 'array', items: text, description: 'What filters may ask about' },
      pagination: {
        type: 'object',
        required: ['limit', 'offset', 'totalCount'],
        properties: {
          limit: { type: 'integer', description: '-1 for all' },
          offset: { type: 'integer' },
          totalCount: { type: 'integer', description: 'How many match, on all pages together' },
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
            description: 'What programs look at, beside the status',
          },
          message: { ...text, description: 'Always the same for a code' },
          requestId: { ...text, description: 'What finds the call in the log' },
          cause: {
            type: 'object',
            description: 'Either `field`, `reason` and `value`, or a `message`',
            properties: { field: text, reason: text, value: text, code: text, message: text },
          },
        },
      },
      meta: { type: 'object', properties: { apiVersion: text, apiEnrollmentVersion: text } },
    },
  },
}

const error = (description: string) => ({ description, content: { 'application/json': { schema: ref('Error') } } })

/** Why calls are refused, by the name of the response. */
export const ERROR_RESPONSES: Readonly<Record<string, object>> = {
  BadRequest: error('The call has a mistake; the cause says which'),
  Unauthorized: error('No session, an ended one, a second factor that is missing, or no permission'),
  NotFound: error('There is no such thing'),
  Conflict: error('Something else stands against it; the cause says what'),
  PreconditionFailed: error('Somebody has changed it since the version that `If-Match` names'),
  Refused: error('Any other refusal: too large, too many, too slow, or a fault of the server'),
}

export function dataEnvelope(data: JsonSchema): JsonSchema {
  return { type: 'object', required: ['data', 'meta'], properties: { data, meta: ref('Meta') } }
}

export function listEnvelope(items: JsonSchema): JsonSchema {
  const data = { type: 'array', items }
  return { type: 'object', required: ['data', 'meta'], properties: { data, meta: ref('ListMeta') } }
}
