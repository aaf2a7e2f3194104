import Type, { type Static } from 'typebox'
import { name, openObject, optional, text } from './body-members.ts'
import { identityEnrollment } from './enrollment.ts'
import { MAX_ATTRIBUTE_LENGTH, MAX_ATTRIBUTES } from './limits.ts'
import { PERMISSIONS } from './permission.ts'

export const IDENTITY_TYPES = ['User', 'Device', 'Service', 'Router', 'Default'] as const

const attributes = () => Type.Array(text(MAX_ATTRIBUTE_LENGTH), { maxItems: MAX_ATTRIBUTES })

const optionalMembers = {
  externalId: optional(text(512)),
  authPolicyId: optional(text(128)),
  attributes: optional(attributes()),
  roleAttributes: optional(attributes()),
  permissions: optional(Type.Array(Type.Enum([...PERMISSIONS]), { maxItems: PERMISSIONS.length })),
  appData: optional(openObject()),
  tags: optional(openObject()),
  defaultHostingCost: optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  defaultHostingPrecedence: optional(Type.Enum(['default', 'required', 'failed'])),
  serviceHostingCosts: optional(openObject()),
  serviceHostingPrecedences: optional(openObject()),
}

/** Body of POST and PUT; PUT passes over `enrollment`. */
export const IdentityWrite = Type.Object({
  name: name(),
  type: Type.Enum([...IDENTITY_TYPES]),
  isAdmin: Type.Boolean(),
  enrollment: optional(identityEnrollment()),
  ...optionalMembers,
})

/** Body of PATCH. */
export const IdentityPatch = Type.Object({
  name: optional(name()),
  type: optional(Type.Enum([...IDENTITY_TYPES])),
  isAdmin: optional(Type.Boolean()),
  ...optionalMembers,
})

const MAX_DISABLE_MINUTES = 52_560_000

/** Body of `POST /identities/{id}/disable`; 0 means until somebody enables it. */
export const IdentityDisable = Type.Object({
  durationMinutes: Type.Integer({ minimum: 0, maximum: MAX_DISABLE_MINUTES }),
})

/** A call that takes no members but is sent a body all the same. */
export const NoMembers = Type.Object({})

export type IdentityDisable = Static<typeof IdentityDisable>
export type IdentityWrite = Static<typeof IdentityWrite>
export type IdentityPatch = Static<typeof IdentityPatch>
