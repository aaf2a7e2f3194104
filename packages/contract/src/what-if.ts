import { openObject, text } from './body-members.ts'
import Type, { type Static } from './schema/type.ts'

export const CHANGE_OPERATIONS = ['create', 'update', 'delete'] as const
export type ChangeOperation = (typeof CHANGE_OPERATIONS)[number]
export const CHANGE_KINDS = ['ext-jwt-signer', 'auth-policy', 'identity'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

export const MAX_WHAT_IF_CHANGES = 100
export const MAX_WHAT_IF_LIMIT = 10_000
export const DEFAULT_WHAT_IF_LIMIT = 1_000

/** Body of `POST /what-if`. The body of an `update` is merged like that of a PATCH. */
export const WhatIf = Type.Object({
  changes: Type.Array(
    Type.Object({
      op: Type.Enum([...CHANGE_OPERATIONS]),
      kind: Type.Enum([...CHANGE_KINDS]),
      id: Type.Optional(text(128)),
      body: Type.Optional(openObject()),
    }),
    { maxItems: MAX_WHAT_IF_CHANGES },
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WHAT_IF_LIMIT })),
})
export type WhatIf = Static<typeof WhatIf>

const person = () => Type.Object({ id: Type.Union([Type.String(), Type.Null()]), name: Type.String() })
const signerId = () => Type.Union([Type.String(), Type.Null()])

/** The response to `POST /what-if`. */
export const WhatIfReport = Type.Object({
  /** Kept logins and live sessions. */
  evaluated: Type.Integer(),
  unchanged: Type.Integer(),
  refused: Type.Array(
    Type.Object({ identity: person(), signerId: signerId(), reason: Type.String(), text: Type.String() }),
  ),
  accepted: Type.Array(Type.Object({ identity: person(), signerId: signerId() })),
  attributes: Type.Array(
    Type.Object({ identity: person(), added: Type.Array(Type.String()), removed: Type.Array(Type.String()) }),
  ),
  factors: Type.Array(Type.Object({ identity: person(), missing: Type.Array(Type.String()) })),
  /** Logins of which the kept claims do not suffice to tell. */
  unknown: Type.Array(
    Type.Object({ identity: Type.Union([person(), Type.Null()]), signerId: signerId(), text: Type.String() }),
  ),
  sessionsEnded: Type.Integer(),
})
export type WhatIfReport = Static<typeof WhatIfReport>
