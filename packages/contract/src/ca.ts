import { MAX_PEM_LENGTH, name, secret, text } from './body-members.ts'
import { MAX_ATTRIBUTES } from './limits.ts'
import { type CreateOf, field, type SettingsOf, type WriteOf } from './resource/field.ts'
import { resource } from './resource/resource.ts'
import { tagsField } from './resource/tags-field.ts'
import { trustField } from './resource/trust-field.ts'
import Type, { annotated, type Static } from './schema/type.ts'

export const CLAIM_LOCATIONS = ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const
export const CLAIM_MATCHERS = ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'] as const
export const CLAIM_PARSERS = ['NONE', 'SPLIT'] as const

/** The name of an identity that enrolls by a certificate, unless the CA has another format. */
export const DEFAULT_IDENTITY_NAME_FORMAT = '[caName]-[commonName]'

const criteria = () => text(512)

const externalIdClaim = () =>
  Type.Object({
    location: Type.Enum([...CLAIM_LOCATIONS]),
    matcher: Type.Enum([...CLAIM_MATCHERS]),
    matcherCriteria: criteria(),
    parser: Type.Enum([...CLAIM_PARSERS]),
    parserCriteria: criteria(),
    index: Type.Integer({ maximum: 1_000 }),
  })

/** A third-party CA. Member order is the order in responses. */
export const CA = resource({
  name: field(name(), { filterable: true, blankIsIgnored: true, flag: 'none' }),
  // Administrators paste private keys here: no error may repeat the value.
  certPem: field(secret({ minLength: 0, maxLength: MAX_PEM_LENGTH }), {
    description: 'The certificate of the CA, in PEM. Only the first certificate counts',
    createOnly: true,
    responseSchema: Type.String(),
    flag: { name: 'cert', kind: 'file' },
  }),
  fingerprint: field(Type.String(), {
    description: 'SHA-1 of the certificate in lower-case hexadecimal',
    readOnly: true,
  }),
  isVerified: field(Type.Boolean(), {
    description: 'Whether the possession of the private key was proven',
    readOnly: true,
  }),
  verificationToken: field(Type.String(), {
    description: 'The common name of the certificate that proves the possession of the private key',
    readOnly: true,
  }),
  isAuthEnabled: field(Type.Boolean(), {
    description: 'Whether certificates of the CA log in',
    filterable: true,
    flag: { name: 'auth' },
  }),
  isAutoCaEnrollmentEnabled: field(Type.Boolean(), {
    description: 'Whether unknown certificates of the CA enroll as new identities',
    filterable: true,
    flag: { name: 'auto-enrollment' },
  }),
  isOttCaEnrollmentEnabled: field(Type.Boolean(), {
    description: 'Whether an identity with a one-time token enrolls with a certificate of the CA',
    filterable: true,
    flag: { name: 'ott-enrollment' },
  }),
  identityRoles: field(Type.Array(text(), { maxItems: MAX_ATTRIBUTES }), {
    description: 'Attributes of identities that enroll without a token',
    flag: { name: 'identity-role', help: 'Attribute of identities that enroll without a token' },
  }),
  identityNameFormat: field(text(), {
    description:
      'Name of identities that enroll without a token, with `[caName]`, `[caId]`, `[commonName]`, `[requestedName]` and `[identityId]`',
    default: DEFAULT_IDENTITY_NAME_FORMAT,
    flag: { name: 'name-format', value: 'FORMAT' },
  }),
  externalIdClaim: field(externalIdClaim(), {
    description:
      'The part of a certificate that is compared with `externalId`. Without it, the certificate itself is recognised',
    default: null,
    absentWhenNull: true,
    flag: 'none',
  }),
  trust: trustField('CA'),
  tags: tagsField(),
})

/** Body of POST. */
export const CaCreate = CA.create

/** Body of PUT. Unlike POST, it requires `identityNameFormat`. */
export const CaWrite = Type.Object({ ...CA.write.properties, identityNameFormat: text() })

const { location, matcher, matcherCriteria, parser, parserCriteria, index } = externalIdClaim().properties

/** Body of PATCH. A claim changes by member; null removes it. */
export const CaPatch = Type.Object({
  ...CA.patch.properties,
  // Existing clients send null for roles that do not change, and null alone to remove the claim.
  identityRoles: Type.Optional(annotated(Type.Array(text(), { maxItems: MAX_ATTRIBUTES }), { nullClears: true })),
  externalIdClaim: Type.Optional(
    annotated(
      Type.Object({
        location: Type.Optional(location),
        matcher: Type.Optional(matcher),
        matcherCriteria: Type.Optional(matcherCriteria),
        parser: Type.Optional(parser),
        parserCriteria: Type.Optional(parserCriteria),
        index: Type.Optional(index),
      }),
      { nullClears: true },
    ),
  ),
})

/** Body of `POST /cas/{id}/verify`: a certificate in PEM, as text or as a JSON string. */
export const CaVerify = Type.Object({
  certPem: Type.Optional(Type.String({ maxLength: MAX_PEM_LENGTH, secret: true })),
})

export type ExternalIdClaim = Readonly<Static<ReturnType<typeof externalIdClaim>>>
/** The settings of a CA. */
export type CaSettings = SettingsOf<typeof CA>
export type CaCreate = CreateOf<typeof CA>
export type CaWrite = WriteOf<typeof CA>
export type CaVerify = Static<typeof CaVerify>
export interface CaPatch extends Partial<Omit<CaWrite, 'identityRoles' | 'externalIdClaim'>> {
  readonly identityRoles?: readonly string[] | null
  readonly externalIdClaim?: Partial<ExternalIdClaim> | null
}
