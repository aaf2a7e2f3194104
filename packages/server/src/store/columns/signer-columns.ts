import type { SignerSettings } from '@countersign/core'
import { bool, int, intOrNull, json, jsonOrNull, text, textOrNull } from './column.ts'
import type { ColumnsFor } from './column-map.ts'

type Stored<Member extends keyof SignerSettings> = NonNullable<SignerSettings[Member]>

/** Where the settings of a signer are stored. */
export const SIGNER_COLUMNS = {
  name: text(),
  enabled: bool(),
  issuer: text(),
  audience: text(),
  additionalAudiences: json<SignerSettings['additionalAudiences']>(),
  jwksEndpoint: textOrNull(),
  jwksCaPem: textOrNull(),
  certPem: textOrNull(),
  kid: textOrNull(),
  claimsProperty: text(),
  useExternalId: bool(),
  externalAuthUrl: textOrNull(),
  openIdConfigurationUrl: textOrNull(),
  clientId: textOrNull(),
  scopes: jsonOrNull<Stored<'scopes'>>(),
  targetToken: text<SignerSettings['targetToken']>(),
  enrollToCertEnabled: bool(),
  enrollToTokenEnabled: bool(),
  enrollAttributeClaimsSelector: textOrNull(),
  enrollNameClaimsSelector: text(),
  enrollAuthPolicyId: textOrNull(),
  attributeSync: text<SignerSettings['attributeSync']>(),
  nameSync: bool(),
  provisionOnLogin: bool(),
  reprovisionAfterMinutes: int(),
  clockSkewSeconds: int(),
  maxTokenAgeSeconds: intOrNull(),
  requiredClaims: jsonOrNull<Stored<'requiredClaims'>>(),
  sharedSignals: jsonOrNull<Stored<'sharedSignals'>>(),
  scimIdentityAttribute: text<SignerSettings['scimIdentityAttribute']>(),
  scimGroupAttributeTemplate: text(),
  tags: json<SignerSettings['tags']>(),
} satisfies ColumnsFor<SignerSettings>
