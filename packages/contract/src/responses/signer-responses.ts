import { CLIENT_SIGNER_MEMBERS, SIGNER } from '../ext-jwt-signer.ts'
import Type, { annotated } from '../schema/type.ts'
import { testCase } from '../signer-test-case.ts'
import { base, instant, nullable, strings } from './response-members.ts'

const text = () => Type.String()
const textOrNull = () => nullable(Type.String())
const { tags: _tags, ...baseWithoutTags } = base

const keys = (description: string) =>
  Type.Array(Type.Object({ kid: text(), alg: text(), thumbprint: text() }), { description })

const KeyStatus = Type.Object({
  source: Type.Enum(['certificate', 'jwks', 'static', 'pushed']),
  keys: keys('The keys that are used'),
  lastSuccessAt: nullable(instant()),
  lastError: textOrNull(),
  nextRefreshAt: nullable(instant()),
  stale: Type.Boolean(),
  warnings: strings(),
  staleAt: Type.Optional(nullable(instant())),
  ignoredKeys: Type.Optional(keys('Keys that are not used, because they are not pinned')),
  pendingKeys: Type.Optional(keys('Fetched keys that wait for a confirmation')),
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
  testCase: Type.Optional(
    nullable(
      annotated(testCase(), {
        description: 'A test case of the signer with the claims of the login, as far as they are kept. Not in lists',
      }),
    ),
  ),
})

/** A refused login as its identity sees it. */
const OwnAuthDecision = Type.Object({
  id: text(),
  at: instant(),
  method: text(),
  reason: text(),
  remoteAddress: text(),
})

/** An accepted login as its identity sees it. */
const OwnLogin = Type.Object({
  id: Type.String({ description: 'The id of the session, which may have ended' }),
  at: instant(),
  method: text(),
  signerId: textOrNull(),
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
  OwnLogin,
}
