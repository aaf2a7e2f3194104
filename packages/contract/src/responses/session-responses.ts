import Type from '../schema/type.ts'
import { base, instant, nullable, reference, strings } from './response-members.ts'

const text = () => Type.String()
const flag = () => Type.Boolean()
const { tags: _tags, ...baseWithoutTags } = base

const AuthQuery = Type.Object({
  typeId: text(),
  provider: text(),
  httpUrl: Type.Optional(text()),
  httpMethod: Type.Optional(text()),
  id: Type.Optional(text()),
  clientId: Type.Optional(text()),
  isTotpEnrolled: Type.Optional(Type.Boolean()),
  scopes: nullable(strings()),
})

const ApiSession = Type.Object({
  ...base,
  identity: reference(),
  identityId: text(),
  ipAddress: text(),
  configTypes: strings(),
  authQueries: Type.Array(AuthQuery),
  isMfaRequired: flag(),
  isMfaComplete: flag(),
  authenticatorId: text(),
  lastActivityAt: instant(),
  cachedLastActivityAt: instant(),
})

const CurrentApiSession = Type.Object({
  ...ApiSession.properties,
  token: text(),
  expiresAt: instant(),
  expirationSeconds: Type.Integer(),
})

const SessionCertificate = Type.Object({ ...base, certificate: text() })

const NewSessionCertificate = Type.Object({
  id: text(),
  _links: baseWithoutTags._links,
  certificate: text(),
  cas: text(),
})

const RecoveryCodes = Type.Object({ ...base, recoveryCodes: strings() })

const OneTimeCodes = Type.Object({
  ...base,
  isVerified: flag(),
  provisioningUrl: Type.Optional(text()),
  recoveryCodes: nullable(strings()),
})

const RenewedCertificate = Type.Object({ clientCert: text(), ca: text() })

const CodeToken = Type.Object({ token: text(), issuedAt: instant() })

const Revocation = Type.Object({ ...base, type: text(), expiresAt: instant() })

const ServiceUpdates = Type.Object({ lastChangeAt: instant() })

export const SESSION_RESPONSES = {
  ApiSession,
  CurrentApiSession,
  AuthQuery,
  SessionCertificate,
  NewSessionCertificate,
  OneTimeCodes,
  RecoveryCodes,
  RenewedCertificate,
  CodeToken,
  Revocation,
  ServiceUpdates,
}
