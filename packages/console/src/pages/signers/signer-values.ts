import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import type { PresetSigner } from '@countersign/contract/signer-presets'
import type { Signer, SignerInput } from '@countersign/sdk'
import type { Versioned } from '../../api/versioned.ts'
import { type ClaimRow, claimRowRules, toClaimRows, toClaimValues } from '../../form/claim-rows.ts'
import { type FormValuesOf, fromFormValues, lengthRules, toFormValues } from '../../form/resource-values.ts'
import { httpsUrl, MAX_TEXT, required } from '../../form/rules.ts'
import { checkTags, type TagRow, toTagRows, toTags } from '../../form/tags.ts'
import { KEY_SOURCE_RULES, type KeySourceValues, toKeySourceBody, toKeySourceValues } from './key-source.ts'
import { SIGNAL_RULES, type SignalValues, toSharedSignals, toSignalValues } from './shared-signals.ts'

/** The form values: the settings of a signer, and the source of its keys. */
export type SignerValues = Omit<
  FormValuesOf<typeof SIGNER>,
  'requiredClaims' | 'testCases' | 'tags' | 'sharedSignals' | keyof KeySourceValues
> &
  KeySourceValues & {
    requiredClaims: ClaimRow[]
    /** As JSON. */
    testCases: string
    tags: TagRow[]
    sharedSignals: SignalValues
  }

const PEM_START = '-----BEGIN CERTIFICATE-----'

/** Suggested values, where they differ from the API's defaults. */
const NEW_SIGNER = { enabled: true, useExternalId: true }

/** The form values of an existing signer, or of a new one. */
export function toValues(signer?: Signer): SignerValues {
  return {
    ...toFormValues(SIGNER, signer ?? NEW_SIGNER),
    ...toKeySourceValues(signer),
    requiredClaims: toClaimRows(signer?.requiredClaims),
    testCases: toTestCaseText(signer?.testCases),
    tags: toTagRows(signer?.tags),
    sharedSignals: toSignalValues(signer?.sharedSignals),
  }
}

/** The form values of the members that a preset fills. */
export function toPresetValues(signer: PresetSigner): Partial<SignerValues> {
  const values = toValues({ ...NEW_SIGNER, ...signer } as unknown as Signer)
  const filled = Object.keys(values).filter((name) => name in signer)
  return Object.fromEntries(filled.map((name) => [name, values[name as keyof SignerValues]]))
}

/** The form values of a new signer for the members that another preset has filled. */
export function toEmptyValues(filled: Partial<SignerValues>): Partial<SignerValues> {
  const empty = toValues()
  return Object.fromEntries(Object.keys(filled).map((name) => [name, empty[name as keyof SignerValues]]))
}

/** The body of a POST. */
export function toBody(values: SignerValues): SignerInput {
  const { source, jwks, certPems, pushedKeys, jwksAuthorization, removesAuthorization, ...others } = values
  const { jwksEndpoint, jwksCaPem, certPem, scopes, requiredClaims, attributeRules, ...more } = others
  const { testCases, tags, sharedSignals, ...rest } = more
  const keySource = { source, jwks, certPems, pushedKeys, jwksAuthorization, removesAuthorization }
  return {
    ...(fromFormValues(rest) as Pick<SignerInput, 'name' | 'enabled' | 'issuer' | 'audience'>),
    jwksEndpoint: source === 'jwks' ? jwksEndpoint : null,
    jwksCaPem: source === 'jwks' && jwksCaPem !== '' ? jwksCaPem : null,
    certPem: source === 'certificate' ? certPem : null,
    ...toKeySourceBody(keySource),
    requireKeyContinuity: source === 'jwks' && others.requireKeyContinuity,
    scopes: toScopes(scopes),
    requiredClaims: toClaimValues(requiredClaims),
    attributeRules: attributeRules.filter((rule) => rule.trim() !== ''),
    testCases: parseTestCases(testCases) ?? [],
    tags: toTags(tags),
    sharedSignals: toSharedSignals(sharedSignals),
  }
}

/** Whether a PATCH can make these changes: in one, null and an empty object mean "not given". */
export function isPatchable(changes: object): boolean {
  return Object.values(changes).every((value) => value !== null && JSON.stringify(value) !== '{}')
}

/** The body of a PUT that makes these changes. It has the other members as they were read: the form may show them in another form. */
export function toReplacement(
  { version: _, ...signer }: Versioned<Signer>,
  changes: Partial<SignerInput>,
): SignerInput {
  return { ...signer, ...changes }
}

function toTestCaseText(testCases: Signer['testCases'] = []): string {
  return testCases.length === 0 ? '' : JSON.stringify(testCases, null, 2)
}

/** Undefined when the text is no list. */
function parseTestCases(text: string): Signer['testCases'] | undefined {
  if (text.trim() === '') return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Splits pasted text: scopes contain no spaces or commas. */
function toScopes(typed: readonly string[]): string[] | null {
  const scopes = typed.flatMap((text) => text.replaceAll(',', ' ').split(' ')).filter((scope) => scope !== '')
  return scopes.length === 0 ? null : scopes
}

export const SIGNER_RULES = {
  ...lengthRules(SIGNER),
  issuer: required('The issuer', MAX_TEXT),
  name: required('The name'),
  audience: required('The audience', MAX_TEXT),
  jwksEndpoint: (value: string, { source }: SignerValues) => (source === 'jwks' ? httpsUrl(true)(value) : null),
  certPem: (value: string, { source }: SignerValues) => (source === 'certificate' ? checkPem(value) : null),
  ...KEY_SOURCE_RULES,
  jwksCaPem: (value: string, { source }: SignerValues) => (source === 'jwks' && value !== '' ? checkPem(value) : null),
  requiredClaims: claimRowRules('requiredClaims'),
  testCases: (text: string) => (parseTestCases(text) ? null : 'Enter a JSON list of test cases'),
  tags: checkTags,
  sharedSignals: SIGNAL_RULES,
  openIdConfigurationUrl: httpsUrl(false),
  externalAuthUrl: httpsUrl(false),
}

/** Whether a text looks like a certificate that the server can parse. */
export const isCertificatePem = (text: string): boolean => checkPem(text) === null

function checkPem(text: string): string | null {
  if (text.includes('PRIVATE KEY')) return 'This contains a private key. Paste the certificate only.'
  return text.includes(PEM_START) ? null : `Paste a certificate that begins with ${PEM_START}`
}
