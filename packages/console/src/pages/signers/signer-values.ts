import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import type { Signer, SignerInput } from '@countersign/sdk'
import { type FormValuesOf, fromFormValues, lengthRules, toFormValues } from '../../form/resource-values.ts'
import { httpsAddress, MAX_TEXT, required } from '../../form/rules.ts'
import { checkTags, type TagRow, toTagRows, toTags } from '../../form/tags.ts'
import { CLAIM_ROW_RULES, type ClaimRow, toClaimRows, toRequiredClaims } from './required-claims.ts'

/** What the form holds: the settings of a signer, and where its keys come from. */
export type SignerValues = Omit<FormValuesOf<typeof SIGNER>, 'requiredClaims' | 'tags'> & {
  source: 'jwks' | 'certificate'
  requiredClaims: ClaimRow[]
  tags: TagRow[]
}

const PEM_START = '-----BEGIN CERTIFICATE-----'

/** What most new signers are, whatever the API's defaults are. */
const NEW_SIGNER = { enabled: true, useExternalId: true }

/** The form of a signer that exists, or of a new one. */
export function toValues(signer?: Signer): SignerValues {
  return {
    ...toFormValues(SIGNER, signer ?? NEW_SIGNER),
    source: signer?.certPem ? 'certificate' : 'jwks',
    requiredClaims: toClaimRows(signer?.requiredClaims),
    tags: toTagRows(signer?.tags),
  }
}

/** The body of POST and PUT. What the form does not show is kept as it was. */
export function toBody(values: SignerValues, signer?: Signer): SignerInput {
  const { source, jwksEndpoint, jwksCaPem, certPem, scopes, requiredClaims, tags, ...rest } = values
  return {
    ...signer,
    ...(fromFormValues(rest) as Pick<SignerInput, 'name' | 'enabled' | 'issuer' | 'audience'>),
    jwksEndpoint: source === 'jwks' ? jwksEndpoint : null,
    jwksCaPem: source === 'jwks' && jwksCaPem !== '' ? jwksCaPem : null,
    certPem: source === 'certificate' ? certPem : null,
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
  ...lengthRules(SIGNER),
  issuer: required('The issuer', MAX_TEXT),
  name: required('The name'),
  audience: required('The audience', MAX_TEXT),
  jwksEndpoint: (value: string, { source }: SignerValues) => (source === 'jwks' ? httpsAddress(true)(value) : null),
  certPem: (value: string, { source }: SignerValues) => (source === 'jwks' ? null : pemProblem(value)),
  jwksCaPem: (value: string, { source }: SignerValues) =>
    source === 'jwks' && value !== '' ? pemProblem(value) : null,
  requiredClaims: CLAIM_ROW_RULES,
  tags: checkTags,
  openIdConfigurationUrl: httpsAddress(false),
  externalAuthUrl: httpsAddress(false),
}

/** Whether a text looks like a certificate, so that it is worth asking the server what is in it. */
export const isCertificatePem = (text: string): boolean => pemProblem(text) === null

function pemProblem(text: string): string | null {
  if (text.includes('PRIVATE KEY')) return 'This holds a private key. Paste the certificate alone.'
  return text.includes(PEM_START) ? null : `Paste a certificate that begins with ${PEM_START}`
}
