import Type from 'typebox'
import { TARGET_TOKENS } from '../ext-jwt-signer.ts'
import { base, instant, map, nullable, strings } from './answer-members.ts'

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

const Signer = Type.Object({
  ...base,
  name: text(),
  enabled: Type.Boolean(),
  issuer: text(),
  audience: text(),
  jwksEndpoint: textOrNull(),
  jwksCaPem: textOrNull(),
  certPem: textOrNull(),
  kid: textOrNull(),
  fingerprint: textOrNull(),
  commonName: text(),
  notBefore: instant(),
  notAfter: instant(),
  claimsProperty: text(),
  useExternalId: Type.Boolean(),
  externalAuthUrl: textOrNull(),
  openIdConfigurationUrl: textOrNull(),
  clientId: textOrNull(),
  scopes: nullable(strings()),
  targetToken: Type.Enum([...TARGET_TOKENS]),
  enrollToCertEnabled: Type.Boolean(),
  enrollToTokenEnabled: Type.Boolean(),
  enrollAttributeClaimsSelector: textOrNull(),
  enrollNameClaimsSelector: text(),
  enrollAuthPolicyId: textOrNull(),
  clockSkewSeconds: Type.Integer(),
  maxTokenAgeSeconds: nullable(Type.Integer()),
  requiredClaims: nullable(map(Type.Union([text(), strings()]))),
  keyStatus: Type.Optional(KeyStatus),
})

const ClientSigner = Type.Object({
  ...baseWithoutTags,
  name: text(),
  externalAuthUrl: textOrNull(),
  openIdConfigurationUrl: textOrNull(),
  clientId: textOrNull(),
  scopes: Type.Union([text(), strings(), Type.Null()]),
  audience: text(),
  targetToken: Type.Enum([...TARGET_TOKENS]),
  enrollToCertEnabled: Type.Boolean(),
  enrollToTokenEnabled: Type.Boolean(),
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
  identity: nullable(Type.Object({ id: text(), name: text(), disabled: Type.Boolean() })),
  policy: nullable(
    Type.Object({
      id: text(),
      name: text(),
      allowsExtJwt: Type.Boolean(),
      allowsPassword: Type.Boolean(),
      allowsCert: Type.Boolean(),
      requiresTotp: Type.Boolean(),
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
  identityId: textOrNull(),
  remoteAddress: text(),
  ...Explanation.properties,
})

export const SIGNER_ANSWERS = {
  Signer,
  KeyStatus,
  ClientSigner,
  DiscoveredSigner,
  SignerCertificate,
  Explanation,
  AuthDecision,
}
