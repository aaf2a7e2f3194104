import { MAX_SCOPES } from '@countersign/contract/limits'
import type { Signer, SignerInput } from '@countersign/sdk'
import { atMost, httpsAddress, MAX_TEXT, required } from '../../form/rules.ts'
import { checkTags, type TagRow, toTagRows, toTags } from '../../form/tags.ts'
import { CLAIM_ROW_RULES, type ClaimRow, toClaimRows, toRequiredClaims } from './required-claims.ts'

/** What the form holds; empty text means that a field is not set. */
export type SignerValues = {
  name: string
  enabled: boolean
  issuer: string
  audience: string
  source: 'jwks' | 'certificate'
  jwksEndpoint: string
  jwksCaPem: string
  certPem: string
  kid: string
  claimsProperty: string
  useExternalId: boolean
  openIdConfigurationUrl: string
  externalAuthUrl: string
  clientId: string
  scopes: string[]
  targetToken: 'ACCESS' | 'ID'
  enrollToCertEnabled: boolean
  enrollToTokenEnabled: boolean
  enrollNameClaimsSelector: string
  enrollAttributeClaimsSelector: string
  enrollAuthPolicyId: string
  clockSkewSeconds: number
  maxTokenAgeSeconds: number | ''
  requiredClaims: ClaimRow[]
  tags: TagRow[]
}

const MAX_SELECTOR = 512
const MAX_KID = 256
const PEM_START = '-----BEGIN CERTIFICATE-----'

/** The form of a signer that exists, or of a new one. */
export function toValues(signer?: Signer): SignerValues {
  return {
    name: signer?.name ?? '',
    enabled: signer?.enabled ?? true,
    issuer: signer?.issuer ?? '',
    audience: signer?.audience ?? '',
    source: signer?.certPem ? 'certificate' : 'jwks',
    jwksEndpoint: signer?.jwksEndpoint ?? '',
    jwksCaPem: signer?.jwksCaPem ?? '',
    certPem: signer?.certPem ?? '',
    kid: signer?.kid ?? '',
    claimsProperty: signer?.claimsProperty ?? '',
    useExternalId: signer?.useExternalId ?? true,
    openIdConfigurationUrl: signer?.openIdConfigurationUrl ?? '',
    externalAuthUrl: signer?.externalAuthUrl ?? '',
    clientId: signer?.clientId ?? '',
    scopes: [...(signer?.scopes ?? [])],
    targetToken: signer?.targetToken ?? 'ACCESS',
    enrollToCertEnabled: signer?.enrollToCertEnabled ?? false,
    enrollToTokenEnabled: signer?.enrollToTokenEnabled ?? false,
    enrollNameClaimsSelector: signer?.enrollNameClaimsSelector ?? '',
    enrollAttributeClaimsSelector: signer?.enrollAttributeClaimsSelector ?? '',
    enrollAuthPolicyId: signer?.enrollAuthPolicyId ?? '',
    clockSkewSeconds: signer?.clockSkewSeconds ?? 0,
    maxTokenAgeSeconds: signer?.maxTokenAgeSeconds ?? '',
    requiredClaims: toClaimRows(signer?.requiredClaims),
    tags: toTagRows(signer?.tags),
  }
}

/** The body of POST and PUT. What the form does not show is kept as it was. */
export function toBody(values: SignerValues, signer?: Signer): SignerInput {
  const { source, jwksEndpoint, jwksCaPem, certPem, maxTokenAgeSeconds, scopes, requiredClaims, tags, ...rest } = values
  const set = Object.entries(rest).map(([name, value]) => [name, value === '' ? null : value])
  return {
    ...signer,
    ...Object.fromEntries(set),
    jwksEndpoint: source === 'jwks' ? jwksEndpoint : null,
    jwksCaPem: source === 'jwks' && jwksCaPem !== '' ? jwksCaPem : null,
    certPem: source === 'certificate' ? certPem : null,
    maxTokenAgeSeconds: maxTokenAgeSeconds === '' ? null : maxTokenAgeSeconds,
    scopes: toScopes(scopes),
    requiredClaims: toRequiredClaims(requiredClaims),
    tags: toTags(tags),
  }
}

/** What was pasted in one go is several scopes: none has a space or a comma in it. */
function toScopes(typed: readonly string[]): string[] | null {
  const scopes = typed.flatMap((text) => text.replaceAll(',', ' ').split(' ')).filter((scope) => scope !== '')
  return scopes.length === 0 ? null : scopes
}

/** As the server judges, as far as it can be told without it. */
export const SIGNER_RULES = {
  issuer: required('The issuer', MAX_TEXT),
  name: required('The name'),
  audience: required('The audience', MAX_TEXT),
  jwksEndpoint: (value: string, { source }: SignerValues) => (source === 'jwks' ? httpsAddress(true)(value) : null),
  certPem: (value: string, { source }: SignerValues) => (source === 'jwks' ? null : pemProblem(value)),
  jwksCaPem: (value: string, { source }: SignerValues) =>
    source === 'jwks' && value !== '' ? pemProblem(value) : null,
  kid: atMost(MAX_KID),
  scopes: (value: string[]) => (value.length > MAX_SCOPES ? `At most ${MAX_SCOPES} scopes` : null),
  requiredClaims: CLAIM_ROW_RULES,
  tags: checkTags,
  openIdConfigurationUrl: httpsAddress(false),
  externalAuthUrl: httpsAddress(false),
  claimsProperty: atMost(MAX_SELECTOR),
  clientId: atMost(MAX_SELECTOR),
  enrollNameClaimsSelector: atMost(MAX_SELECTOR),
  enrollAttributeClaimsSelector: atMost(MAX_SELECTOR),
}

/** Whether a text looks like a certificate, so that it is worth asking the server what is in it. */
export const isCertificatePem = (text: string): boolean => pemProblem(text) === null

function pemProblem(text: string): string | null {
  if (text.includes('PRIVATE KEY')) return 'This holds a private key. Paste the certificate alone.'
  return text.includes(PEM_START) ? null : `Paste a certificate that begins with ${PEM_START}`
}
