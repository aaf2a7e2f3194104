import { LOGIN_METHODS } from '../authenticate.ts'
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
  isPasskeyEnrolled: Type.Optional(Type.Boolean()),
  scopes: nullable(strings()),
})

const session = {
  ...base,
  identity: reference(),
  identityId: text(),
  ipAddress: text(),
  configTypes: strings(),
  authQueries: Type.Array(AuthQuery),
  isMfaRequired: flag(),
  isMfaComplete: flag(),
  authenticatorId: text(),
  boundKey: Type.Optional(
    nullable(
      Type.String({
        description: 'The thumbprint of the key that the session is bound to: each call needs a DPoP proof of it',
      }),
    ),
  ),
  lastActivityAt: instant(),
  cachedLastActivityAt: instant(),
}

const ApiSession = Type.Object({
  ...session,
  method: Type.Optional(Type.Enum([...LOGIN_METHODS])),
  signerId: Type.Optional(nullable(text())),
  client: Type.Optional(
    nullable(Type.String({ description: 'The program that opened the session, in its own words, unverified' })),
  ),
  expiresAt: Type.Optional(instant()),
  state: Type.Optional(
    Type.Enum(['complete', 'partial', 'refused'], {
      description:
        'What the session can do: everything, only add what is missing, or nothing, since its policy no longer allows the login',
    }),
  ),
  missing: Type.Optional(
    Type.Array(text(), {
      description:
        'What a partial session lacks: totp, totp-enrollment, passkey, ext-jwt, or why the login at the provider does not suffice',
    }),
  ),
})

const CurrentApiSession = Type.Object({
  ...session,
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

const Passkey = Type.Object({
  ...base,
  name: text(),
  rpId: text(),
  aaguid: text(),
  transports: strings(),
  isBackupEligible: flag(),
  isBackedUp: flag(),
  lastUsedAt: nullable(instant()),
})

const PasskeyDescriptor = Type.Object({
  id: text(),
  type: Type.Enum(['public-key']),
  transports: Type.Optional(strings()),
})

/** `PublicKeyCredentialRequestOptionsJSON`. */
const PasskeyRequestOptions = Type.Object({
  challenge: text(),
  rpId: text(),
  timeout: Type.Integer(),
  userVerification: text(),
  allowCredentials: Type.Optional(Type.Array(PasskeyDescriptor)),
})

/** `PublicKeyCredentialCreationOptionsJSON`. */
const PasskeyCreationOptions = Type.Object({
  challenge: text(),
  rp: Type.Object({ id: text(), name: text() }),
  user: Type.Object({ id: text(), name: text(), displayName: text() }),
  pubKeyCredParams: Type.Array(Type.Object({ type: Type.Enum(['public-key']), alg: Type.Integer() })),
  timeout: Type.Integer(),
  excludeCredentials: Type.Array(PasskeyDescriptor),
  authenticatorSelection: Type.Object({ residentKey: text(), userVerification: text() }),
  attestation: text(),
})

export const SESSION_RESPONSES = {
  Passkey,
  PasskeyRequestOptions,
  PasskeyCreationOptions,
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
