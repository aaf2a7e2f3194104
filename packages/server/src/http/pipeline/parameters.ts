import { AUTHENTICATE_METHODS, CODE_HEADER } from '@countersign/contract'

/** The parameters that routes name in their notes, as OpenAPI documents them. */
export const PARAMETERS = {
  id: { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'The id, an opaque string' },
  tokenId: {
    name: 'tokenId',
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: 'The id of a token',
  },
  passkeyId: {
    name: 'passkeyId',
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: 'The id of a passkey',
  },
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
    description: 'Maximum number of entries; `none` or -1 for all',
  },
  offset: {
    name: 'offset',
    in: 'query',
    schema: { type: 'integer', minimum: 0, maximum: 100_000, default: 0 },
    description: 'Number of entries to skip',
  },
  method: {
    name: 'method',
    in: 'query',
    required: true,
    schema: { type: 'string', enum: [...AUTHENTICATE_METHODS] },
    description: 'The login method',
  },
  enrollMethod: {
    name: 'method',
    in: 'query',
    schema: { type: 'string', enum: ['ott', 'ottca', 'ca', 'updb', 'token'] },
    description: 'The enrollment method. Default: the method of the token',
  },
  issuer: {
    name: 'issuer',
    in: 'query',
    schema: { type: 'string', pattern: '^[0-9a-f]{40}$' },
    description: 'The key identifier of a CA of this controller, in lower-case hex',
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
    description: '`#attribute` or `@id`; repeat the parameter for several',
  },
  roleSemantic: {
    name: 'roleSemantic',
    in: 'query',
    schema: { type: 'string', enum: ['AllOf', 'AnyOf'], default: 'AllOf' },
    description: 'Whether an identity must have all attributes of `roleFilter`, or any',
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    schema: { type: 'string' },
    description: 'The `ETag` of the version to change; 412 when it is not the current one',
  },
  confirmLockOut: {
    name: 'confirmLockOut',
    in: 'query',
    schema: { type: 'boolean', default: false },
    description: 'Of an administrator: saves although no enabled administrator could log in afterwards',
  },
  tokenIssuerId: {
    name: 'ziti-token-issuer-id',
    in: 'header',
    schema: { type: 'string' },
    description: 'The id of the signer to enroll through, when several match',
  },
  lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    schema: { type: 'string' },
    description: 'The id of the last event received; the stream resumes after it',
  },
} as const

export const LIST_PARAMETERS = ['filter', 'sort', 'limit', 'offset'] as const

export type ParameterName = keyof typeof PARAMETERS
