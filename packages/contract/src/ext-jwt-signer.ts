import { MAX_PEM_LENGTH, MAX_URL_LENGTH, name, openObject, secret, text, url } from './body-members.ts'
import { MAX_ATTRIBUTE_RULES, MAX_RULE_LENGTH, MAX_SCOPES } from './limits.ts'
import { field, type PatchOf, type SettingsOf, type WriteOf } from './resource/field.ts'
import { resource } from './resource/resource.ts'
import { tagsField } from './resource/tags-field.ts'
import { trustField } from './resource/trust-field.ts'
import { claimValues, instant, map } from './responses/response-members.ts'
import Type, { type Static } from './schema/type.ts'
import { MAX_TEST_CASES, testCase } from './signer-test-case.ts'

/** What a security event does. */
export const SIGNAL_ACTIONS = ['end-sessions', 'disable', 'enable', 'log'] as const
export type SignalAction = (typeof SIGNAL_ACTIONS)[number]
export const TARGET_TOKENS = ['ACCESS', 'ID'] as const
export const ATTRIBUTE_SYNCS = ['enrollment', 'login'] as const
export const SCIM_IDENTITY_ATTRIBUTES = ['userName', 'externalId', 'email'] as const
/** Which proof of possession a signer requires of every token: none, one of the two kinds, or one of them. */
export const POSSESSION_KINDS = ['none', 'any', 'dpop', 'mtls'] as const
export type PossessionKind = (typeof POSSESSION_KINDS)[number]
export const MAX_CLOCK_SKEW_SECONDS = 60
export const MAX_REPROVISION_MINUTES = 525_600
const MAX_ADDITIONAL_AUDIENCES = 16
const MAX_AUTHORIZATION_LENGTH = 8192
/** Keys of a set that is given, not fetched. */
export const MAX_GIVEN_KEYS = 16
export const MAX_CERTIFICATES = 8
export const MAX_PINNED_KEYS = 64
export const MAX_PUSHED_KEY_AGE_SECONDS = 2_592_000

const SUBJECT = '/sub'
const selector = () => text(512)
const rule = () => text(MAX_RULE_LENGTH)
/** One of these. A blank text is none, unlike for the members of the first release: it would turn a protection off. */
const oneOf = <Value extends string>(values: readonly Value[]) => Type.Enum<Value[]>([...values], { minLength: 1 })
// Administrators paste private keys here: no error may repeat the value.
const pem = () => secret({ minLength: 0, maxLength: MAX_PEM_LENGTH })

const keySet = () => Type.Object({ keys: Type.Array(openObject(), { maxItems: MAX_GIVEN_KEYS }) })
/** RFC 7638 with SHA-256: 32 bytes in base64url. */
const thumbprint = () => Type.String({ maxLength: 43 })

const sharedSignals = () =>
  Type.Object({
    audience: text(),
    issuer: Type.Optional(text()),
    jwksUri: Type.Optional(Type.String({ maxLength: MAX_URL_LENGTH, format: 'uri' })),
    actions: map(Type.Enum<SignalAction[]>([...SIGNAL_ACTIONS])),
  })
export type SharedSignals = Readonly<Static<ReturnType<typeof sharedSignals>>>

/** An External JWT Signer. Member order is the order in responses. */
export const SIGNER = resource({
  name: field(name(), { filterable: true, flag: 'none' }),
  enabled: field(Type.Boolean(), { filterable: true, flag: 'none' }),
  issuer: field(text(), {
    description: 'The exact issuer that a token must have (`iss`)',
    filterable: true,
    flag: { value: 'URL' },
  }),
  audience: field(text(), { description: 'The exact audience that a token must have (`aud`)', filterable: true }),
  additionalAudiences: field(Type.Array(text(), { maxItems: MAX_ADDITIONAL_AUDIENCES }), {
    description: 'Audiences that are accepted in addition to `audience`',
    default: [],
    keptByPut: true,
    flag: { name: 'additional-audience', help: 'Audience that is accepted in addition to the first' },
  }),
  jwksEndpoint: field(Type.String({ maxLength: 2048, format: 'uri' }), {
    description: 'URL of the key set (JWKS)',
    default: null,
    flag: { value: 'URL' },
  }),
  jwksCaPem: field(pem(), {
    description: 'An additional certificate authority to trust for the endpoint, in PEM',
    default: null,
    flag: { name: 'jwks-ca', kind: 'file' },
  }),
  certPem: field(pem(), {
    description: 'The certificate whose key signs the tokens, in PEM; instead of `jwksEndpoint`',
    default: null,
    filterable: true,
    flag: { name: 'cert', kind: 'file' },
  }),
  kid: field(text(256), {
    description: 'The `kid` that a token must have. Default for a certificate: its fingerprint',
    default: null,
    filterable: true,
  }),
  fingerprint: field(Type.String(), {
    description: 'SHA-1 of the certificate in lower-case hexadecimal',
    default: null,
    readOnly: true,
  }),
  commonName: field(Type.String(), { readOnly: true }),
  notBefore: field(instant(), { readOnly: true }),
  notAfter: field(instant(), { readOnly: true }),
  jwks: field(keySet(), {
    description: 'The key set itself (JWKS), with at most 16 public keys; instead of `jwksEndpoint`',
    default: null,
    keptByPut: true,
    flag: {
      name: 'jwks',
      kind: 'keys',
      help: 'Public keys that sign the tokens, in PEM or as a key set (JWKS); can be repeated',
    },
  }),
  certPems: field(Type.Array(pem(), { maxItems: MAX_CERTIFICATES }), {
    description:
      'Several certificates whose keys sign the tokens, each in PEM; instead of `certPem`. The `kid` of each is its SHA-1 fingerprint',
    default: null,
    keptByPut: true,
    flag: {
      name: 'certs',
      kind: 'files',
      help: 'One of several certificates whose keys sign the tokens, in PEM; instead of cert',
    },
  }),
  pushedKeys: field(
    Type.Object({ maxAgeSeconds: Type.Integer({ minimum: 300, maximum: MAX_PUSHED_KEY_AGE_SECONDS }) }),
    {
      description:
        'The keys are pushed to this controller, for a provider that it cannot reach; instead of `jwksEndpoint`. Keys that were pushed more than `maxAgeSeconds` ago are refused',
      default: null,
      keptByPut: true,
      flag: 'none',
    },
  ),
  jwksAuthorization: field(secret({ minLength: 0, maxLength: MAX_AUTHORIZATION_LENGTH }), {
    description:
      'The value of the header `Authorization` with which `jwksEndpoint` is fetched. Cleared when the endpoint changes without it',
    default: null,
    keptByPut: true,
    writeOnly: true,
    flag: { name: 'jwks-authorization', kind: 'secret' },
  }),
  jwksAuthorizationSet: field(Type.Boolean(), {
    description: 'Whether `jwksAuthorization` is set',
    default: false,
    readOnly: true,
  }),
  pinnedKeyThumbprints: field(Type.Array(thumbprint(), { maxItems: MAX_PINNED_KEYS }), {
    description:
      'The only keys that are used, by their thumbprints (RFC 7638, SHA-256). Other keys are ignored with a warning. Empty: all keys are used',
    default: [],
    keptByPut: true,
    flag: { name: 'pin', value: 'THUMBPRINT', help: 'Thumbprint of a key that is used; other keys are ignored' },
  }),
  requireKeyContinuity: field(Type.Boolean(), {
    description:
      'Whether a fetched key set that shares no key with the last good one waits until an administrator confirms it',
    default: false,
    keptByPut: true,
  }),
  claimsProperty: field(selector(), {
    description: 'The claim that identifies the identity: a name, or a JSON pointer when it begins with `/`',
    default: SUBJECT,
    filterable: true,
    flag: { value: 'CLAIM' },
  }),
  useExternalId: field(Type.Boolean(), {
    description: 'Whether the claim is compared with `externalId` instead of `id`',
    default: false,
    filterable: true,
  }),
  externalAuthUrl: field(url(), {
    description: 'URL to which a browser is sent to log in',
    default: null,
    flag: { value: 'URL' },
  }),
  openIdConfigurationUrl: field(url(), {
    description: 'URL of the discovery document of the identity provider, for clients',
    default: null,
    flag: { name: 'openid-configuration', value: 'URL' },
  }),
  clientId: field(text(512), {
    description: 'The client id for logins in a browser',
    default: null,
    filterable: true,
  }),
  scopes: field(Type.Array(text(256), { maxItems: MAX_SCOPES }), {
    description: 'Scopes that clients request from the identity provider: an array, or one string with spaces',
    default: null,
    accepts: Type.Union([Type.Array(text(256), { maxItems: MAX_SCOPES }), text(8192)]),
    filterable: true,
    flag: { name: 'scope', help: 'Scope for logins in a browser' },
  }),
  targetToken: field(Type.Enum([...TARGET_TOKENS]), {
    description: 'Which token of the identity provider clients log in with',
    default: 'ACCESS',
    filterable: true,
    flag: { value: 'KIND' },
  }),
  enrollToCertEnabled: field(Type.Boolean(), {
    description: 'Whether an unknown subject with a valid token may enroll for a certificate',
    default: false,
    filterable: true,
    flag: { name: 'enroll-to-cert' },
  }),
  enrollToTokenEnabled: field(Type.Boolean(), {
    description: 'Whether an unknown subject with a valid token may enroll for logins by token',
    default: false,
    filterable: true,
    flag: { name: 'enroll-to-token' },
  }),
  enrollAttributeClaimsSelector: field(selector(), {
    description: 'The claim with the attributes of an identity that enrolls',
    default: null,
    filterable: true,
    flag: { value: 'CLAIM' },
  }),
  enrollAuthPolicyId: field(text(128), {
    description: 'The policy of identities that enroll. Default: the default policy',
    default: null,
    filterable: true,
    flag: { name: 'enroll-policy', value: 'NAME', help: 'Policy of identities that enroll, by name or id' },
  }),
  enrollNameClaimsSelector: field(selector(), {
    description: 'The claim with the name of an identity that enrolls',
    default: SUBJECT,
    filterable: true,
    flag: { value: 'CLAIM' },
  }),
  attributeSync: field(oneOf(ATTRIBUTE_SYNCS), {
    description:
      'When attributes are read from the token: `enrollment` only, or at each `login`, enrollment and second factor. With `login` they belong to the signer and follow its tokens',
    default: 'enrollment',
    keptByPut: true,
    flag: { value: 'WHEN' },
  }),
  nameSync: field(Type.Boolean(), {
    description: 'Whether the name of an identity follows `enrollNameClaimsSelector` at each login',
    default: false,
    keptByPut: true,
  }),
  provisionOnLogin: field(Type.Boolean(), {
    description:
      'Whether the login of an unknown subject with a valid token enrolls it to token use. Needs `enrollToTokenEnabled`',
    default: false,
    keptByPut: true,
  }),
  reprovisionAfterMinutes: field(Type.Integer({ minimum: 0, maximum: MAX_REPROVISION_MINUTES }), {
    description:
      'How long the subject of a deleted identity is not provisioned again by `provisionOnLogin`, in minutes',
    default: 1440,
    keptByPut: true,
  }),
  clockSkewSeconds: field(Type.Integer({ minimum: 0, maximum: MAX_CLOCK_SKEW_SECONDS }), {
    description: 'Tolerated difference to the clock of the identity provider, in seconds',
    default: 0,
  }),
  maxTokenAgeSeconds: field(Type.Integer({ minimum: 1, maximum: 31_536_000 }), {
    description: 'The maximum lifetime of a token in seconds: from `iat` to `exp`',
    default: null,
  }),
  requiredClaims: field(claimValues(), {
    description:
      'Claims that a token must have: selector to a value, to an array of values of which one must match, or to `{"glob": pattern}`, in which `*` stands for any run of characters and `?` for one',
    default: null,
    accepts: openObject(),
    flag: 'none',
  }),
  testCases: field(Type.Array(testCase(), { maxItems: MAX_TEST_CASES }), {
    description:
      'Claims with the expected outcome, which every save of the signer checks: `{name, claims, header?, now?, expect: {outcome, check?, attributes?, externalId?}}`',
    default: [],
    keptByPut: true,
    flag: 'none',
  }),
  acceptRule: field(rule(), {
    description:
      'A rule that a token must meet: a CEL expression over `claims`, `header`, `request` and `signer` that is a bool. False refuses with `rule-refused`, an error with `rule-error`',
    default: null,
    keptByPut: true,
    flag: { value: 'CEL' },
  }),
  attributeRules: field(Type.Array(rule(), { maxItems: MAX_ATTRIBUTE_RULES }), {
    description:
      'Rules that give the attributes of an identity, in addition to `enrollAttributeClaimsSelector`: CEL expressions over the variables of `acceptRule` that are lists of strings. An error refuses the token with `rule-error`',
    default: [],
    keptByPut: true,
    flag: { name: 'attribute-rule', value: 'CEL', help: 'Rule that gives attributes, a CEL expression' },
  }),
  requirePossession: field(oneOf(POSSESSION_KINDS), {
    description:
      'Which proof that the client holds a key every token needs: `none`, `dpop` (RFC 9449), `mtls` (a client certificate, RFC 8705), or `any` of the two. A token that is bound to a key needs its proof in any case',
    default: 'none',
    keptByPut: true,
    flag: { value: 'KIND' },
  }),
  oneUse: field(Type.Boolean(), {
    description:
      'Whether each token is accepted once, by its `jti` or else its SHA-256. An enrollment to token use and the first login after it count as one use. Such a signer cannot be a second factor',
    default: false,
    keptByPut: true,
  }),
  sharedSignals: field(sharedSignals(), {
    description:
      'Receives security events of the identity provider (Shared Signals): `audience` that they must have, `issuer` and `jwksUri` where they differ from those of tokens, and `actions` by event name',
    default: null,
    keptByPut: true,
    accepts: Type.Object({
      audience: text(),
      issuer: Type.Optional(text()),
      jwksUri: Type.Optional(Type.String({ maxLength: MAX_URL_LENGTH, format: 'uri' })),
      actions: Type.Optional(openObject()),
    }),
    flag: 'none',
  }),
  sharedSignalsUrl: field(Type.String(), {
    description: 'Where the identity provider sends security events (RFC 8935)',
    readOnly: true,
  }),
  backchannelLogoutUrl: field(Type.String(), {
    description: 'Where the identity provider sends logout tokens (OpenID Connect Back-Channel Logout)',
    readOnly: true,
  }),
  scimIdentityAttribute: field(oneOf(SCIM_IDENTITY_ATTRIBUTES), {
    description: 'Which attribute of a SCIM user is the `externalId` of the identity, by which tokens name it',
    default: 'userName',
    keptByPut: true,
    flag: { value: 'NAME' },
  }),
  scimGroupAttributeTemplate: field(text(256), {
    description:
      'The attribute that members of a SCIM group get: a text with `{displayName}`, `{externalId}` or `{id}` of the group',
    default: '{displayName}',
    keptByPut: true,
    flag: { value: 'TEXT' },
  }),
  scimUrl: field(Type.String(), {
    description: 'Where the identity provider manages users and groups (SCIM 2.0)',
    readOnly: true,
  }),
  trust: trustField(),
  tags: tagsField(),
})

/** The members that clients see before they log in, in response order. */
export const CLIENT_SIGNER_MEMBERS = [
  'name',
  'externalAuthUrl',
  'openIdConfigurationUrl',
  'clientId',
  'scopes',
  'audience',
  'targetToken',
  'enrollToCertEnabled',
  'enrollToTokenEnabled',
] as const satisfies readonly (keyof SignerSettings)[]

/** Body of POST and PUT. */
export const ExtJwtSignerWrite = SIGNER.write
/** Body of PATCH. */
export const ExtJwtSignerPatch = SIGNER.patch

/** Body of `PUT /ext-jwt-signers/{id}/pushed-keys`. */
export const PushedKeySet = keySet()
/** Body of `POST /ext-jwt-signers/{id}/confirm-keys`. */
export const ConfirmKeys = Type.Object({
  thumbprints: Type.Optional(
    Type.Array(thumbprint(), {
      maxItems: 100,
      description: 'The thumbprints of the keys that are confirmed: with others, nothing is confirmed',
    }),
  ),
})

/** Body of `POST /ext-jwt-signers/read-certificate`. */
export const ReadSignerCertificate = Type.Object({ certPem: pem() })

/** The settings of a signer. */
export type SignerSettings = SettingsOf<typeof SIGNER>
export type ExtJwtSignerWrite = WriteOf<typeof SIGNER>
export type ExtJwtSignerPatch = PatchOf<typeof SIGNER>
export type PushedKeySet = Static<typeof PushedKeySet>
export type ConfirmKeys = Static<typeof ConfirmKeys>
export type ReadSignerCertificate = Static<typeof ReadSignerCertificate>
