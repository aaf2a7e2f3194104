import {
  AuthPolicyPatch,
  AuthPolicyWrite,
  type ChangeKind,
  type ChangeOperation,
  DEFAULT_WHAT_IF_LIMIT,
  ExtJwtSignerPatch,
  type ExtJwtSignerPatch as ExtJwtSignerPatchBody,
  ExtJwtSignerWrite,
  IdentityPatch,
  IdentityWrite,
  type PermissionEntity,
  WhatIf as WhatIfBody,
  type WhatIf as WhatIfBodyType,
} from '@countersign/contract'
import {
  AppError,
  type BodySchema,
  fieldError,
  isAllowed,
  type JsonObject,
  newSortableId,
  readBody,
} from '@countersign/core'
import type { ProposedChange } from '../../login/what-if/apply-changes.ts'
import type { WhatIf } from '../../login/what-if/what-if.ts'
import type { JwksEndpointPolicy } from '../../outbound/jwks-endpoint-policy.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { detail } from '../pipeline/envelope.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { readGivenKeys } from './ext-jwt-signer-keys.ts'

interface WhatIfRouteParts {
  readonly clock: Clock
  readonly whatIf: WhatIf
  readonly sealing: Sealing
  readonly jwksPolicy: Pick<JwksEndpointPolicy, 'checkEndpoint'>
}

interface Kind {
  readonly entity: PermissionEntity
  readonly schemas: Readonly<Record<'create' | 'update', BodySchema>>
}

const KINDS: Readonly<Record<ChangeKind, Kind>> = {
  'ext-jwt-signer': {
    entity: 'external-jwt-signer',
    schemas: { create: ExtJwtSignerWrite, update: ExtJwtSignerPatch },
  },
  'auth-policy': { entity: 'auth-policy', schemas: { create: AuthPolicyWrite, update: AuthPolicyPatch } },
  identity: { entity: 'identity', schemas: { create: IdentityWrite, update: IdentityPatch } },
}

const NO_KEYS = { certificate: undefined }

/** Predictions of changes. */
export function whatIfRoutes({ clock, whatIf, sealing, jwksPolicy }: WhatIfRouteParts): Route[] {
  const readChange = (change: WhatIfBodyType['changes'][number], index: number): ProposedChange => {
    const { op, kind, id = '', body } = change
    const path = `changes.${index}`
    if (id === '' && op !== 'create') throw fieldError(`${path}.id`, `id is required to ${op}`, id)
    if (op === 'delete') return { kind, id, change: { op }, keys: NO_KEYS }
    if (body === undefined) throw fieldError(`${path}.body`, `body is required to ${op}`, body)
    const read = within(`${path}.body`, () => readBody(KINDS[kind].schemas[op], body as JsonObject))
    const target = id === '' ? newSortableId(clock.now()) : id
    const keys = kind === 'ext-jwt-signer' ? readKeys(target, read as ExtJwtSignerPatchBody, `${path}.body`) : NO_KEYS
    return { kind, id: target, change: { op, body: read }, keys } as ProposedChange
  }
  const readKeys = (id: string, body: ExtJwtSignerPatchBody, path: string) =>
    within(path, () => {
      if (body.jwksEndpoint) jwksPolicy.checkEndpoint(body.jwksEndpoint)
      return readGivenKeys(sealing, id, body)
    })
  return [
    {
      method: 'POST',
      paths: [`${MANAGEMENT}/what-if`],
      access: { entity: 'identity', action: 'read' },
      bodyCap: 'management',
      body: { schema: WhatIfBody, optional: false, parameter: 'whatIf' },
      note: describe.one('WhatIfReport', 'Predict the effect of changes on logins and sessions', {
        description:
          'Evaluates the claims of recent logins and all live sessions, and changes nothing. Also needs the permission to make each change. To callers that may not read everything, no values of claims are shown, and what holds for administrators, identities with permissions and unknown subjects is unknown.',
      }),
      handle: async (call) => {
        const { changes, limit = DEFAULT_WHAT_IF_LIMIT } = call.body as WhatIfBodyType
        const { identity } = sessionOf(call)
        for (const { op, kind } of changes) {
          if (!isAllowed(identity, { entity: KINDS[kind].entity, action: op satisfies ChangeOperation })) {
            throw new AppError('UNAUTHORIZED')
          }
        }
        const { id, name, isAdmin } = identity
        // A rule or an attribute can show the claims of any login, like its decision.
        const readsAll = isAllowed(identity, { entity: 'admin', action: 'read' })
        const actor = { id, name, isAdmin, readsAll }
        return detail(await whatIf.ask({ changes: changes.map(readChange), limit, actor }))
      },
    },
  ]
}

/** Names the field of a body by its path in the request. */
function within<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError) || !error.publicCause || !('field' in error.publicCause)) throw error
    const { field, ...cause } = error.publicCause
    throw new AppError(error.code, { field: `${path}.${field}`, ...cause })
  }
}
