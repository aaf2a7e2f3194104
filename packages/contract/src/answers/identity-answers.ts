import Type from 'typebox'
import { PERMISSIONS } from '../permission.ts'
import { base, instant, map, nullable, reference, strings } from './answer-members.ts'

const text = () => Type.String()
const flag = () => Type.Boolean()
const open = () => map(Type.Unknown())

const Identity = Type.Object({
  ...base,
  name: text(),
  type: reference(),
  typeId: text(),
  isAdmin: flag(),
  isDefaultAdmin: flag(),
  isMfaEnabled: flag(),
  externalId: nullable(text()),
  attributes: strings(),
  roleAttributes: strings(),
  authPolicyId: text(),
  authPolicy: reference(),
  disabled: flag(),
  disabledAt: Type.Optional(instant()),
  disabledUntil: Type.Optional(instant()),
  authenticators: open(),
  enrollment: open(),
  envInfo: open(),
  sdkInfo: open(),
  appData: open(),
  permissions: nullable(Type.Array(Type.Enum([...PERMISSIONS]))),
  defaultHostingCost: Type.Integer(),
  defaultHostingPrecedence: text(),
  serviceHostingCosts: open(),
  serviceHostingPrecedences: open(),
  edgeRouterConnectionStatus: text(),
  hasApiSession: flag(),
  hasEdgeRouterConnection: flag(),
})

const AuthPolicy = Type.Object({
  ...base,
  name: text(),
  primary: Type.Object({
    cert: Type.Object({ allowed: flag(), allowExpiredCerts: flag() }),
    extJwt: Type.Object({ allowed: flag(), allowedSigners: strings() }),
    updb: Type.Object({
      allowed: flag(),
      minPasswordLength: Type.Integer(),
      requireSpecialChar: flag(),
      requireNumberChar: flag(),
      requireMixedCase: flag(),
      maxAttempts: Type.Integer(),
      lockoutDurationMinutes: Type.Integer(),
    }),
  }),
  secondary: Type.Object({ requireTotp: flag(), requireExtJwtSigner: Type.Optional(text()) }),
})

const Authenticator = Type.Object({
  ...base,
  identity: reference(),
  identityId: text(),
  method: Type.Enum(['updb', 'cert']),
  username: Type.Optional(text()),
  certPem: Type.Optional(text()),
  fingerprint: Type.Optional(text()),
  isIssuedByNetwork: Type.Optional(flag()),
  lastAuthResolvedToRoot: Type.Optional(flag()),
  isExtendRequested: Type.Optional(flag()),
  extendRequestedAt: Type.Optional(instant()),
  isKeyRollRequested: Type.Optional(flag()),
})

const Enrollment = Type.Object({
  ...base,
  identity: reference(),
  identityId: text(),
  method: text(),
  username: Type.Optional(text()),
  token: Type.Optional(text()),
  jwt: Type.Optional(text()),
  expiresAt: instant(),
})

const IdentityType = Type.Object({ ...base, name: text() })

const PostureData = Type.Object({
  apiSessionPostureData: open(),
  domain: open(),
  macAddress: open(),
  os: open(),
  processes: Type.Array(open()),
})

/** What this product has none of. */
const OverlayThing = Type.Object({ ...base, name: text() })

export const IDENTITY_ANSWERS = {
  Identity,
  IdentityType,
  Enrollment,
  AuthPolicy,
  Authenticator,
  PostureData,
  OverlayThing,
}
