import { LOGIN_METHODS } from './authenticate.ts'
import { name, openObject, text } from './body-members.ts'
import { identityEnrollment } from './enrollment.ts'
import { MAX_ATTRIBUTE_LENGTH, MAX_ATTRIBUTES } from './limits.ts'
import { PERMISSIONS, type Permission } from './permission.ts'
import { type CreateOf, field, type PatchOf, type SettingsOf } from './resource/field.ts'
import { resource } from './resource/resource.ts'
import { tagsField } from './resource/tags-field.ts'
import { instant, map, nullable, reference, strings, tags } from './responses/response-members.ts'
import Type, { type Static } from './schema/type.ts'

export const IDENTITY_TYPES = ['User', 'Device', 'Service', 'Router', 'Default'] as const

/** The policy of identities without an explicit one. */
export const DEFAULT_AUTH_POLICY_ID = 'default'

const MAX_LINKED_SIGNERS = 16

const attributes = () => Type.Array(text(MAX_ATTRIBUTE_LENGTH), { maxItems: MAX_ATTRIBUTES })
const flag = () => Type.Boolean()
const open = () => map(Type.Unknown())
const permission = () => Type.Enum<Permission[]>([...PERMISSIONS])

export const ATTRIBUTE_ORIGINS = ['manual', 'signer'] as const
const attributeOrigin = () =>
  Type.Object({
    attribute: Type.String(),
    origin: Type.Enum([...ATTRIBUTE_ORIGINS]),
    signerId: Type.Optional(Type.String()),
  })

/** For existing clients only: this product hosts no services. */
const hosting = { exported: 'when-set', flag: 'none' } as const
const hostingMap = () => field(tags(), { ...hosting, default: {}, accepts: openObject(), responseSchema: open() })

/** An identity. Member order is the order in responses. */
export const IDENTITY = resource({
  name: field(name(), { filterable: true, flag: 'none' }),
  /** Ignored, and accepted for existing clients: every identity has the type Default. */
  type: field(Type.Enum([...IDENTITY_TYPES]), {
    writeOnly: true,
    responseSchema: reference(),
    flag: { value: 'TYPE', help: 'Type of the identity [Default]' },
  }),
  typeId: field(Type.String(), { readOnly: true }),
  isAdmin: field(flag(), {
    description: 'Whether the identity is an administrator, with all permissions',
    filterable: true,
    flag: { name: 'admin', help: 'Make the identity an administrator' },
  }),
  isDefaultAdmin: field(flag(), { readOnly: true }),
  isMfaEnabled: field(flag(), { readOnly: true }),
  externalId: field(text(512), {
    description: 'The exact claim value for signers with `useExternalId`. Unique',
    default: null,
    filterable: true,
  }),
  attributes: field(attributes(), {
    description: 'Attributes for policies. `roleAttributes` is the same list',
    default: [],
    exported: false,
    flag: 'none',
  }),
  attributeOrigins: field(Type.Array(attributeOrigin()), {
    description: 'Where each attribute comes from: an administrator, or a signer. One entry per attribute and origin',
    readOnly: true,
  }),
  roleAttributes: field(attributes(), {
    description: 'The same list as `attributes`',
    writeOnly: true,
    optional: true,
    responseSchema: strings(),
    flag: { name: 'attribute', help: 'Attribute' },
  }),
  authPolicyId: field(text(128), {
    default: DEFAULT_AUTH_POLICY_ID,
    filterable: true,
    flag: { name: 'policy', value: 'NAME', help: 'Its authentication policy, by name or id' },
  }),
  authPolicy: field(reference(), { readOnly: true }),
  disabled: field(flag(), { readOnly: true }),
  disabledAt: field(instant(), { readOnly: true, optional: true }),
  disabledUntil: field(instant(), {
    description: 'When the identity is enabled automatically',
    readOnly: true,
    optional: true,
  }),
  /** Stored in milliseconds. */
  expiresAt: field(Type.Integer(), {
    description: 'When access ends: sessions end and logins are refused until an administrator extends it',
    default: null,
    accepts: Type.String({ maxLength: 64, format: 'date-time' }),
    responseSchema: instant(),
    keptByPut: true,
    filterable: true,
    flag: { kind: 'text', value: 'TIME', help: 'When access ends, such as 2027-01-31T18:00:00Z' },
  }),
  lastLoginAt: field(instant(), {
    description: 'When the identity last logged in, by any method. Null before its first login',
    default: null,
    readOnly: true,
  }),
  lastLoginMethod: field(Type.Enum([...LOGIN_METHODS]), {
    description: 'How it logged in then: with a password, a passkey, a certificate, a token, or as an API account',
    default: null,
    readOnly: true,
  }),
  linkedSigners: field(Type.Array(text(128), { maxItems: MAX_LINKED_SIGNERS }), {
    description:
      'Ids of signers whose identity provider may end sessions of this identity and disable it, besides the signer that enrolled it. Only administrators write it',
    default: [],
    keptByPut: true,
    flag: { name: 'linked-signer', value: 'NAME', help: 'Signer whose provider may end its access, by name or id' },
  }),
  authenticators: field(open(), { readOnly: true }),
  enrollment: field(identityEnrollment(), { createOnly: true, optional: true, responseSchema: open(), flag: 'none' }),
  envInfo: field(open(), { readOnly: true }),
  sdkInfo: field(open(), { readOnly: true }),
  appData: field(tags(), {
    description: 'Custom data of applications',
    default: {},
    accepts: openObject(),
    responseSchema: open(),
    flag: 'none',
  }),
  permissions: field(Type.Array(permission(), { maxItems: PERMISSIONS.length }), {
    description: 'The permissions of an identity that is not an administrator',
    default: [],
    responseSchema: nullable(Type.Array(permission())),
    flag: { name: 'permission', help: 'Permission, such as identity.read' },
  }),
  defaultHostingCost: field(Type.Integer({ minimum: 0, maximum: 65_535 }), { ...hosting, default: 0 }),
  defaultHostingPrecedence: field(Type.Enum(['default', 'required', 'failed']), {
    ...hosting,
    default: 'default',
    blankIsIgnored: true,
    responseSchema: Type.String(),
  }),
  serviceHostingCosts: hostingMap(),
  serviceHostingPrecedences: hostingMap(),
  edgeRouterConnectionStatus: field(Type.String(), { readOnly: true }),
  hasApiSession: field(flag(), { readOnly: true }),
  hasEdgeRouterConnection: field(flag(), { readOnly: true }),
  tags: tagsField(),
})

/** Body of POST and PUT. PUT ignores `enrollment`. */
export const IdentityWrite = IDENTITY.create
/** Body of PATCH. */
export const IdentityPatch = IDENTITY.patch

const MAX_DISABLE_MINUTES = 52_560_000

/** Body of `POST /identities/{id}/disable`. 0 minutes: until an administrator enables the identity. */
export const IdentityDisable = Type.Object({
  durationMinutes: Type.Integer({ minimum: 0, maximum: MAX_DISABLE_MINUTES }),
})

/** For calls without members whose clients send a body. */
export const NoMembers = Type.Object({})

export type IdentityDisable = Static<typeof IdentityDisable>
/** The settings of an identity. */
export type IdentitySettings = SettingsOf<typeof IDENTITY>
export type IdentityWrite = CreateOf<typeof IDENTITY>
export type IdentityPatch = PatchOf<typeof IDENTITY>
