import { instant, map, nullable, reference, strings, tags } from './answers/answer-members.ts'
import { name, openObject, text } from './body-members.ts'
import { identityEnrollment } from './enrollment.ts'
import { MAX_ATTRIBUTE_LENGTH, MAX_ATTRIBUTES } from './limits.ts'
import { PERMISSIONS, type Permission } from './permission.ts'
import { type CreateOf, field, type PatchOf, type SettingsOf } from './resource/field.ts'
import { resource } from './resource/resource.ts'
import { tagsField } from './resource/tags-field.ts'
import Type, { type Static } from './schema/type.ts'

export const IDENTITY_TYPES = ['User', 'Device', 'Service', 'Router', 'Default'] as const

/** What every identity has that no other policy was given to. */
export const DEFAULT_AUTH_POLICY_ID = 'default'

const attributes = () => Type.Array(text(MAX_ATTRIBUTE_LENGTH), { maxItems: MAX_ATTRIBUTES })
const flag = () => Type.Boolean()
const open = () => map(Type.Unknown())
const permission = () => Type.Enum<Permission[]>([...PERMISSIONS])

/** Kept for existing clients: no service is hosted here. */
const hosting = { exported: false, flag: 'none' } as const
const hostingMap = () => field(tags(), { ...hosting, default: {}, accepts: openObject(), shownAs: open() })

/** An identity. Answers have the members in this order. */
export const IDENTITY = resource({
  name: field(name(), { filterable: true, flag: 'none' }),
  /** Accepted for existing clients; every identity has the type Default. */
  type: field(Type.Enum([...IDENTITY_TYPES]), {
    writeOnly: true,
    shownAs: reference(),
    flag: { value: 'TYPE', help: 'Type of the identity [Default]' },
  }),
  typeId: field(Type.String(), { readOnly: true }),
  isAdmin: field(flag(), {
    description: 'Whether the identity may do everything',
    filterable: true,
    flag: { name: 'admin', help: 'May do everything' },
  }),
  isDefaultAdmin: field(flag(), { readOnly: true }),
  isMfaEnabled: field(flag(), { readOnly: true }),
  externalId: field(text(512), {
    description: 'What a signer with `useExternalId` matches, exactly; unique',
    default: null,
    filterable: true,
  }),
  attributes: field(attributes(), {
    description: 'What the identity is in the eyes of policies; `roleAttributes` is the same list',
    default: [],
    exported: false,
    flag: 'none',
  }),
  roleAttributes: field(attributes(), {
    description: 'The same list as `attributes`',
    writeOnly: true,
    optional: true,
    shownAs: strings(),
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
    description: 'When the identity is enabled by itself',
    readOnly: true,
    optional: true,
  }),
  authenticators: field(open(), { readOnly: true }),
  enrollment: field(identityEnrollment(), { createOnly: true, optional: true, shownAs: open(), flag: 'none' }),
  envInfo: field(open(), { readOnly: true }),
  sdkInfo: field(open(), { readOnly: true }),
  appData: field(tags(), {
    description: 'Whatever an application keeps with the identity',
    default: {},
    accepts: openObject(),
    shownAs: open(),
    flag: 'none',
  }),
  permissions: field(Type.Array(permission(), { maxItems: PERMISSIONS.length }), {
    description: 'What the identity may do where it is no administrator',
    default: [],
    shownAs: nullable(Type.Array(permission())),
    flag: { name: 'permission', help: 'Permission, such as identity.read' },
  }),
  defaultHostingCost: field(Type.Integer({ minimum: 0, maximum: 65_535 }), { ...hosting, default: 0 }),
  defaultHostingPrecedence: field(Type.Enum(['default', 'required', 'failed']), {
    ...hosting,
    default: 'default',
    blankIsIgnored: true,
    shownAs: Type.String(),
  }),
  serviceHostingCosts: hostingMap(),
  serviceHostingPrecedences: hostingMap(),
  edgeRouterConnectionStatus: field(Type.String(), { readOnly: true }),
  hasApiSession: field(flag(), { readOnly: true }),
  hasEdgeRouterConnection: field(flag(), { readOnly: true }),
  tags: tagsField(),
})

/** Body of POST and PUT; PUT passes over `enrollment`. */
export const IdentityWrite = IDENTITY.create
/** Body of PATCH. */
export const IdentityPatch = IDENTITY.patch

const MAX_DISABLE_MINUTES = 52_560_000

/** Body of `POST /identities/{id}/disable`; 0 means until an administrator enables it. */
export const IdentityDisable = Type.Object({
  durationMinutes: Type.Integer({ minimum: 0, maximum: MAX_DISABLE_MINUTES }),
})

/** A call that takes no members but is sent a body all the same. */
export const NoMembers = Type.Object({})

export type IdentityDisable = Static<typeof IdentityDisable>
/** An identity as an administrator has set it up. */
export type IdentitySettings = SettingsOf<typeof IDENTITY>
export type IdentityWrite = CreateOf<typeof IDENTITY>
export type IdentityPatch = PatchOf<typeof IDENTITY>
