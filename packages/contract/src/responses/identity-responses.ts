import { AUTH_POLICY } from '../auth-policy.ts'
import { CA } from '../ca.ts'
import { IDENTITY } from '../identity.ts'
import Type from '../schema/type.ts'
import { base, instant, map, reference } from './response-members.ts'

const text = () => Type.String()
const flag = () => Type.Boolean()
const open = () => map(Type.Unknown())

const { tags: _identityTags, ...identityMembers } = IDENTITY.response

const Identity = Type.Object({ ...base, ...identityMembers })

const { tags: _policyTags, ...policyMembers } = AUTH_POLICY.response

const AuthPolicy = Type.Object({ ...base, ...policyMembers })

const { tags: _caTags, ...caMembers } = CA.response

const Ca = Type.Object({ ...base, ...caMembers })

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
  caId: Type.Optional(text()),
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

/** Entities of the overlay network, which this product does not have: their lists are always empty. */
const OverlayThing = Type.Object({ ...base, name: text() })

export const IDENTITY_RESPONSES = {
  Identity,
  IdentityType,
  Enrollment,
  AuthPolicy,
  Ca,
  Authenticator,
  PostureData,
  OverlayThing,
}
