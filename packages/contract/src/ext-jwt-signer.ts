import Type, { type Static } from 'typebox'
import { MAX_PEM_LENGTH, name, openObject, optional, secret, text, url } from './body-members.ts'
import { MAX_SCOPES } from './limits.ts'

export const TARGET_TOKENS = ['ACCESS', 'ID'] as const
export const MAX_CLOCK_SKEW_SECONDS = 60

const optionalMembers = {
  // People paste private keys here: no answer may repeat it.
  certPem: optional(secret({ minLength: 0, maxLength: MAX_PEM_LENGTH })),
  jwksEndpoint: optional(Type.String({ maxLength: 2048, format: 'uri' })),
  jwksCaPem: optional(secret({ minLength: 0, maxLength: MAX_PEM_LENGTH })),
  kid: optional(text(256)),
  claimsProperty: optional(text(512)),
  useExternalId: optional(Type.Boolean()),
  externalAuthUrl: optional(url()),
  openIdConfigurationUrl: optional(url()),
  clientId: optional(text(512)),
  scopes: optional(Type.Union([Type.Array(text(256), { maxItems: MAX_SCOPES }), text(8192)])),
  targetToken: optional(Type.Enum([...TARGET_TOKENS])),
  enrollToCertEnabled: optional(Type.Boolean()),
  enrollToTokenEnabled: optional(Type.Boolean()),
  enrollAttributeClaimsSelector: optional(text(512)),
  enrollNameClaimsSelector: optional(text(512)),
  enrollAuthPolicyId: optional(text(128)),
  clockSkewSeconds: optional(Type.Integer({ minimum: 0, maximum: MAX_CLOCK_SKEW_SECONDS })),
  maxTokenAgeSeconds: optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
  requiredClaims: optional(openObject()),
  tags: optional(openObject()),
}

/** Body of POST and PUT. */
export const ExtJwtSignerWrite = Type.Object({
  name: name(),
  enabled: Type.Boolean(),
  issuer: text(),
  audience: text(),
  ...optionalMembers,
})

/** Body of PATCH. */
export const ExtJwtSignerPatch = Type.Object({
  name: optional(name()),
  enabled: optional(Type.Boolean()),
  issuer: optional(text()),
  audience: optional(text()),
  ...optionalMembers,
})

/** Body of `POST /ext-jwt-signers/read-certificate`. */
export const ReadSignerCertificate = Type.Object({ certPem: secret({ minLength: 0, maxLength: MAX_PEM_LENGTH }) })

export type ExtJwtSignerWrite = Static<typeof ExtJwtSignerWrite>
export type ExtJwtSignerPatch = Static<typeof ExtJwtSignerPatch>
export type ReadSignerCertificate = Static<typeof ReadSignerCertificate>
