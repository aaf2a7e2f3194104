import type { ExtJwtSignerPatch, ExtJwtSignerWrite } from '@countersign/contract'
import type { JsonObject } from '../json/json-value.ts'
import { readTags, type Tags } from '../tag/read-tags.ts'

/** A signer as an administrator has set it up: every field has a value, null where the default is "unset". */
export interface SignerSettings {
  readonly name: string
  readonly enabled: boolean
  readonly issuer: string
  readonly audience: string
  readonly jwksEndpoint: string | null
  /** One more CA to trust for the endpoint, PEM. */
  readonly jwksCaPem: string | null
  readonly certPem: string | null
  readonly kid: string | null
  readonly claimsProperty: string
  readonly useExternalId: boolean
  readonly externalAuthUrl: string | null
  readonly openIdConfigurationUrl: string | null
  readonly clientId: string | null
  readonly scopes: readonly string[] | null
  readonly targetToken: 'ACCESS' | 'ID'
  readonly enrollToCertEnabled: boolean
  readonly enrollToTokenEnabled: boolean
  readonly enrollAttributeClaimsSelector: string | null
  readonly enrollNameClaimsSelector: string
  readonly enrollAuthPolicyId: string | null
  readonly clockSkewSeconds: number
  readonly maxTokenAgeSeconds: number | null
  readonly requiredClaims: JsonObject | null
  readonly tags: Tags
}

const SUBJECT = '/sub'

/** What a field is when nobody has said anything about it. */
const UNSET: SignerSettings = {
  name: '',
  enabled: false,
  issuer: '',
  audience: '',
  jwksEndpoint: null,
  jwksCaPem: null,
  certPem: null,
  kid: null,
  claimsProperty: SUBJECT,
  useExternalId: false,
  externalAuthUrl: null,
  openIdConfigurationUrl: null,
  clientId: null,
  scopes: null,
  targetToken: 'ACCESS',
  enrollToCertEnabled: false,
  enrollToTokenEnabled: false,
  enrollAttributeClaimsSelector: null,
  enrollNameClaimsSelector: SUBJECT,
  enrollAuthPolicyId: null,
  clockSkewSeconds: 0,
  maxTokenAgeSeconds: null,
  requiredClaims: null,
  tags: {},
}

const FIELDS = Object.keys(UNSET) as (keyof SignerSettings)[]

/** A signer from the body of a POST or PUT: what is not given goes to its default. */
export function signerFromBody(body: ExtJwtSignerWrite): SignerSettings {
  return withGiven(UNSET, body)
}

/**
 * A signer after a PATCH: what is not given stays; a blank text or an empty list goes back to the default. It is
 * `current` itself when the body gives nothing.
 */
export function patchedSigner(current: SignerSettings, body: ExtJwtSignerPatch): SignerSettings {
  return withGiven(current, body)
}

type Given = ExtJwtSignerPatch

/** The members whose stored form differs from the wire's. */
const READERS: { readonly [Field in keyof Given & keyof SignerSettings]?: (value: never) => unknown } = {
  scopes: (value: string | string[]) => scopeList(value),
  tags: (value: JsonObject) => readTags('tags', value),
}

function withGiven(base: SignerSettings, body: Given): SignerSettings {
  const given = FIELDS.filter((field) => body[field] !== undefined && !isEmptyObject(body[field]))
  if (given.length === 0) return base
  const settings: Record<string, unknown> = { ...base }
  for (const field of given) {
    const value = body[field]
    const read = READERS[field] as ((value: unknown) => unknown) | undefined
    settings[field] = isBlank(value) ? UNSET[field] : read ? read(value) : value
  }
  return settings as unknown as SignerSettings
}

function isBlank(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
}

/** Existing clients send `{}` when they have no tags to say anything about. */
function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

function scopeList(given: string | readonly string[]): string[] | null {
  const scopes = typeof given === 'string' ? given.split(/\s/) : given
  const named = scopes.filter((scope) => scope !== '')
  return named.length > 0 ? named : null
}
