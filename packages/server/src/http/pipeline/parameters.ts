import { AUTHENTICATE_METHODS, CODE_HEADER } from '@countersign/contract'

/** Parameters that more than one call takes, or that need more words than a schema has. */
export const PARAMETERS = {
  id: { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'The id, opaque text' },
  filter: {
    name: 'filter',
    in: 'query',
    schema: { type: 'string', maxLength: 8192 },
    description: 'A condition such as `name contains "a" and createdAt > datetime(2026-01-01T00:00:00Z)`',
  },
  sort: {
    name: 'sort',
    in: 'query',
    schema: { type: 'string', maxLength: 1024 },
    description: 'Up to five fields, each with `asc` or `desc`, separated by commas',
  },
  limit: {
    name: 'limit',
    in: 'query',
    schema: { oneOf: [{ type: 'integer', maximum: 500 }, { const: 'none' }], default: 10 },
    description: 'How many at most; `none` or -1 for all of them',
  },
  offset: {
    name: 'offset',
    in: 'query',
    schema: { type: 'integer', minimum: 0, maximum: 100_000, default: 0 },
    description: 'How many to pass over',
  },
  method: {
    name: 'method',
    in: 'query',
    required: true,
    schema: { type: 'string', enum: [...AUTHENTICATE_METHODS] },
    description: 'With what to sign in',
  },
  enrollMethod: {
    name: 'method',
    in: 'query',
    schema: { type: 'string', enum: ['ott', 'updb', 'token'], default: 'ott' },
    description: 'In which way to enroll',
  },
  oneTimeToken: {
    name: 'token',
    in: 'query',
    schema: { type: 'string' },
    description: 'The one-time token of an enrollment',
  },
  validationCode: {
    name: CODE_HEADER,
    in: 'header',
    schema: { type: 'string' },
    description: 'A one-time code or a recovery code',
  },
  roleFilter: {
    name: 'roleFilter',
    in: 'query',
    explode: true,
    schema: { type: 'array', items: { type: 'string' }, maxItems: 100 },
    description: '`#attribute` or `@id`, once for each',
  },
  roleSemantic: {
    name: 'roleSemantic',
    in: 'query',
    schema: { type: 'string', enum: ['AllOf', 'AnyOf'], default: 'AllOf' },
    description: 'Whether all attributes of `roleFilter` are asked for, or any',
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    schema: { type: 'string' },
    description: 'The `ETag` of the version that is to be changed; 412 when it is not the present one',
  },
  tokenIssuerId: {
    name: 'ziti-token-issuer-id',
    in: 'header',
    schema: { type: 'string' },
    description: 'The id of the signer to enroll through, where several fit',
  },
  lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    schema: { type: 'string' },
    description: 'The id of the last event that was read, to go on after it',
  },
} as const

export const LIST_PARAMETERS = ['filter', 'sort', 'limit', 'offset'] as const

export type ParameterName = keyof typeof PARAMETERS
