import Type, { type Static } from 'typebox'
import { name, optional, text, url } from '../body-members.ts'
import { PROVIDER_KINDS } from './provider-kind.ts'

const label = () => Type.String({ minLength: 1, maxLength: 63 })

/** Body of POST and PUT on organizations. */
export const OrganizationWrite = Type.Object({ name: name(), label: label(), active: optional(Type.Boolean()) })
export const OrganizationPatch = Type.Object({
  name: optional(name()),
  label: optional(label()),
  active: optional(Type.Boolean()),
})

const providerMembers = {
  /** The organization; that of the caller unless given. */
  organizationId: optional(text(64)),
  discoveryUrl: optional(url()),
  jwksUri: optional(url()),
  /** What is asked for tokens: `authenticationUrl` of the accounts made here. */
  tokenUrl: optional(url()),
  audience: optional(text(512)),
  clientIdClaim: optional(text(512)),
  requiredScope: optional(text(512)),
  registrationUrl: optional(url()),
  /** What the provider wants to see before it registers a client; sealed, and in no answer. */
  registrationToken: optional(Type.String({ maxLength: 4096, secret: true })),
  enabled: optional(Type.Boolean()),
}

/** Body of POST and PUT on the identity providers of an organization. */
export const IdentityProviderWrite = Type.Object({
  name: name(),
  kind: Type.Enum([...PROVIDER_KINDS]),
  issuer: url(),
  ...providerMembers,
})
export const IdentityProviderPatch = Type.Object({
  name: optional(name()),
  kind: optional(Type.Enum([...PROVIDER_KINDS])),
  issuer: optional(url()),
  ...providerMembers,
})

export const ACCOUNT_ROLES = ['admin', 'read-only'] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

const accountMembers = {
  contactEmail: optional(text(256)),
  description: optional(text(1024)),
  role: optional(Type.Enum([...ACCOUNT_ROLES])),
  active: optional(Type.Boolean()),
}

/** Body of POST on API accounts. `clientId` records a client that exists at the provider already. */
export const ApiAccountCreate = Type.Object({
  name: name(),
  identityProviderId: text(64),
  /** The organization; that of the caller unless given. */
  organizationId: optional(text(64)),
  clientId: optional(text(256)),
  ...accountMembers,
})
export const ApiAccountWrite = Type.Object({ name: name(), ...accountMembers })
export const ApiAccountPatch = Type.Object({ name: optional(name()), ...accountMembers })

const MAX_OVERLAP_MINUTES = 7 * 24 * 60

/** Body of the rotation of an account's credentials: for how long the old ones go on. */
export const ApiAccountRotate = Type.Object({
  overlapMinutes: optional(Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_MINUTES })),
  /** The new client, where the account records clients that exist already. */
  clientId: optional(text(256)),
})

const networkMembers = {
  networkGroupId: optional(text(64)),
  size: optional(text(64)),
  provider: optional(text(64)),
  region: optional(text(64)),
  /** Where the network's controller is reached; this controller unless given. */
  controllerUrl: optional(url()),
}

export const NetworkWrite = Type.Object({ name: name(), ...networkMembers })
export const NetworkPatch = Type.Object({ name: optional(name()), ...networkMembers })

/** Body of `POST /core/v3/networks/{id}/exchange`. */
export const NetworkExchange = Type.Object({ type: text(32) })

export type OrganizationWrite = Static<typeof OrganizationWrite>
export type OrganizationPatch = Static<typeof OrganizationPatch>
export type IdentityProviderWrite = Static<typeof IdentityProviderWrite>
export type IdentityProviderPatch = Static<typeof IdentityProviderPatch>
export type ApiAccountCreate = Static<typeof ApiAccountCreate>
export type ApiAccountWrite = Static<typeof ApiAccountWrite>
export type ApiAccountPatch = Static<typeof ApiAccountPatch>
export type ApiAccountRotate = Static<typeof ApiAccountRotate>
export type NetworkWrite = Static<typeof NetworkWrite>
export type NetworkPatch = Static<typeof NetworkPatch>
export type NetworkExchange = Static<typeof NetworkExchange>
