import { CLIENT_SIGNER_MEMBERS, SIGNER } from '../ext-jwt-signer.ts'
import Type from '../schema/type.ts'
import { base, instant, nullable, strings } from './response-members.ts'

const text = () => Type.String()
const textOrNull = () => nullable(Type.String())
const { tags: _tags, ...baseWithoutTags } = base

const KeyStatus = Type.Object({
  source: Type.Enum(['certificate', 'jwks']),
  keys: Type.Array(Type.Object({ kid: text(), alg: text(), thumbprint: text() })),
  lastSuccessAt: nullable(instant()),
  lastError: textOrNull(),
  nextRefreshAt: nullable(instant()),
  stale: Type.Boolean(),
  warnings: strings(),
})

const { tags: _signerTags, ...signerMembers } = SIGNER.response

const Signer = Type.Object({ ...base, ...signerMembers, keyStatus: Type.Optional(KeyStatus) })

const clientMembers = CLIENT_SIGNER_MEMBERS.map((name) => [name, SIGNER.response[name] ?? Type.Unknown()])

const ClientSigner = Type.Object({
  ...baseWithoutTags,
  ...Object.fromEntries(clientMembers),
  scopes: Type.Union([text(), strings(), Type.Null()], { description: 'Scopes to request from the identity provider' }),
})

const DiscoveredSigner = Type.Object({
  issuer: text(),
  jwksEndpoint: text(),
  openIdConfigurationUrl: text(),
  scopes: Type.Optional(strings()),
})

const SignerCertificate = Type.Object({
  commonName: text(),
  fingerprint: text(),
  notBefore: instant(),
  notAfter: instant(),
  keyKind: text(),
  signatureAlgorithm: text(),
  warnings: strings(),
})

const ScimToken = Type.Object({
  id: text(),
  createdAt: instant(),
  createdBy: Type.Object({ id: text(), name: text() }),
  token: Type.Optional(Type.String({ description: 'The token, in the response of the call that made it only' })),
})

const Explanation = Type.Object({
  signers: Type.Array(
    Type.Object({
      signerId: text(),
      checks: Type.Array(
        Type.Object({ check: text(), expected: Type.Unknown(), received: Type.Unknown(), pass: Type.Boolean() }),
      ),
      reason: nullable(text()),
    }),
  ),
  identity: nullable(
    Type.Object({ id: text(), name: text(), disabled: Type.Boolean(), expired: Type.Optional(Type.Boolean()) }),
  ),
  policy: nullable(
    Type.Object({
      id: text(),
      name: text(),
      allowsExtJwt: Type.Boolean(),
      allowsPassword: Type.Boolean(),
      allowsCert: Type.Boolean(),
      allowsPasskey: Type.Optional(Type.Boolean()),
      requiresTotp: Type.Boolean(),
      requiresPasskey: Type.Optional(Type.Boolean()),
      requiresExtJwtSigner: textOrNull(),
    }),
  ),
  missing: strings(),
  hints: strings(),
})

const AuthDecision = Type.Object({
  id: text(),
  at: instant(),
  method: text(),
  reason: text(),
  signerId: textOrNull(),
  signerName: Type.Optional(textOrNull()),
  claimedIdentity: Type.Optional(
    nullable(
      Type.String({
        description: 'The identity that the credential names, verified only if a signer or CA accepts the credential',
      }),
    ),
  ),
  identityId: textOrNull(),
  identityName: Type.Optional(textOrNull()),
  remoteAddress: text(),
  ...Explanation.properties,
})

/** A refused login as its identity sees it. */
const OwnAuthDecision = Type.Object({
  id: text(),
  at: instant(),
  method: text(),
  reason: text(),
  remoteAddress: text(),
})

export const SIGNER_RESPONSES = {
  Signer,
  KeyStatus,
  ClientSigner,
  DiscoveredSigner,
  SignerCertificate,
  ScimToken,
  Explanation,
  AuthDecision,
  OwnAuthDecision,
}
