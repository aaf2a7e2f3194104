import { AUTH_POLICY } from '@countersign/contract/auth-policy'
import { CA } from '@countersign/contract/ca'
import { EVENT_SINK } from '@countersign/contract/event-sink'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { IDENTITY } from '@countersign/contract/identity'
import type { KeyStatus } from '@countersign/sdk'
import { deriveMembers } from './derive-members.ts'
import { CLOSED_POLICY, findPolicyWarnings, listAllowed } from './policy-methods.ts'
import type {
  Collection,
  DeletableCollection,
  FieldFlag,
  Item,
  ResourceKind,
  WritableCollection,
} from './resource-kind.ts'
import { findTrust } from './trust.ts'
import { deriveTrustMembers } from './trust-members.ts'

const column = (title: string, member: string) => ({ title, get: (item: Item) => item[member] })
const ID = { ...column('ID', 'id'), isWhole: true }
const NAME = column('NAME', 'name')
const TRUST = { title: 'TRUST', get: (item: Item) => findTrust(item)?.state }

/** Where the keys of a signer come from, of which exactly one is set. */
const KEY_SOURCES = ['jwksEndpoint', 'certPem', 'jwks', 'certPems', 'pushedKeys']

const PUSH_MAX_AGE: FieldFlag = {
  flag: 'push-max-age',
  member: 'pushedKeys.maxAgeSeconds',
  kind: 'number',
  value: 'SECONDS',
  description: 'The keys are pushed, and refused when they are older: 300 to 2592000 seconds',
}

const SIGNER_MEMBERS = deriveMembers(SIGNER.members)

export const SIGNERS: ResourceKind = {
  plural: 'signers',
  singular: 'signer',
  hasNames: true,
  open: ({ signers }) => signers as unknown as WritableCollection,
  columns: [NAME, column('ENABLED', 'enabled'), TRUST, column('ISSUER', 'issuer'), column('AUDIENCE', 'audience'), ID],
  defaults: { enabled: true },
  ...SIGNER_MEMBERS,
  fields: [...SIGNER_MEMBERS.fields, PUSH_MAX_AGE],
  alsoAccepted: [...(SIGNER_MEMBERS.alsoAccepted ?? []), 'jwksAuthorization'],
  exclusive: KEY_SOURCES,
  ignoresEmptyObjects: true,
  readOnly: [...SIGNER_MEMBERS.readOnly, 'keyStatus'],
  trustMembers: deriveTrustMembers(SIGNER.members),
  warningsOf: ({ keyStatus }) => (keyStatus as KeyStatus | undefined)?.warnings ?? [],
}

export const POLICIES: ResourceKind = {
  plural: 'policies',
  singular: 'policy',
  hasNames: true,
  open: ({ authPolicies }) => authPolicies as unknown as WritableCollection,
  columns: [
    NAME,
    { title: 'LOGIN BY', get: ({ primary }) => listMethods(primary) },
    { title: 'SECOND FACTOR', get: ({ secondary }) => listFactors(secondary) },
    ID,
  ],
  defaults: CLOSED_POLICY,
  ...deriveMembers(AUTH_POLICY.members),
  warningsOf: findPolicyWarnings,
}

const CA_MEMBERS = deriveMembers(CA.members)
const CERTIFICATE = 'certPem'

export const CAS: ResourceKind = {
  plural: 'cas',
  singular: 'CA',
  hasNames: true,
  open: ({ cas }) => cas as unknown as WritableCollection,
  columns: [
    NAME,
    column('VERIFIED', 'isVerified'),
    column('LOGIN', 'isAuthEnabled'),
    TRUST,
    column('FINGERPRINT', 'fingerprint'),
    ID,
  ],
  defaults: {
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    identityRoles: [],
  },
  ...CA_MEMBERS,
  fields: CA_MEMBERS.fields.filter(({ member }) => member !== CERTIFICATE),
  trustMembers: deriveTrustMembers(CA.members),
  warningsOf: ({ isVerified, verificationToken }) => {
    if (isVerified) return []
    return [`not verified yet: let the CA sign a certificate with the common name ${verificationToken}, then verify`]
  },
}

/** The certificate of a CA is given once. */
export const NEW_CAS: ResourceKind = {
  ...CAS,
  fields: CA_MEMBERS.fields,
  writable: [...CA_MEMBERS.writable, CERTIFICATE],
  readOnly: CA_MEMBERS.readOnly.filter((member) => member !== CERTIFICATE),
}

export const SINKS: ResourceKind = {
  plural: 'sinks',
  singular: 'sink',
  hasNames: true,
  open: ({ eventSinks }) => eventSinks as unknown as WritableCollection,
  columns: [
    NAME,
    column('KIND', 'kind'),
    column('ENABLED', 'enabled'),
    column('BEHIND', 'behind'),
    column('LAST DELIVERY', 'lastDeliveryAt'),
    column('LAST ERROR', 'lastError'),
    column('URL', 'url'),
    ID,
  ],
  defaults: {},
  ...deriveMembers(EVENT_SINK.members),
  warningsOf: ({ lastError, dropped }) => [
    ...(typeof lastError === 'string' ? [`the last delivery failed: ${lastError}`] : []),
    ...(Number(dropped) > 0 ? [`${String(dropped)} events were deleted before they were delivered`] : []),
  ],
}

const IDENTITY_MEMBERS = deriveMembers(IDENTITY.members)

export const IDENTITIES: ResourceKind = {
  plural: 'identities',
  singular: 'identity',
  hasNames: true,
  open: ({ identities }) => identities as unknown as WritableCollection,
  columns: [
    NAME,
    { title: 'TYPE', get: (identity) => identity.typeId ?? (identity.type as { id?: string } | undefined)?.id },
    column('ADMIN', 'isAdmin'),
    column('DISABLED', 'disabled'),
    column('ATTRIBUTES', 'roleAttributes'),
    column('EXTERNAL ID', 'externalId'),
    column('ACCESS UNTIL', 'expiresAt'),
    ID,
  ],
  defaults: { type: 'Default', isAdmin: false },
  ...IDENTITY_MEMBERS,
  readOnly: [...IDENTITY_MEMBERS.readOnly, 'interfaces'],
}

const IDENTITY_NAME = {
  title: 'IDENTITY',
  get: ({ identity }: Item) => (identity as { name?: string } | null | undefined)?.name,
}

/** What the kinds without a description in the contract have in common: no flag sets a member. */
const READ_ONLY = { hasNames: false, members: {}, fields: [], defaults: {}, writable: [], readOnly: [] } as const

export const AUDIT_ENTRIES: ResourceKind<Collection> = {
  ...READ_ONLY,
  plural: 'audit',
  singular: 'entry',
  open: ({ audit }) => audit.entries as unknown as Collection,
  columns: [
    column('AT', 'at'),
    column('ACTOR', 'actorName'),
    column('ACTION', 'action'),
    column('KIND', 'objectKind'),
    column('OBJECT', 'objectName'),
    column('ADDRESS', 'address'),
    ID,
  ],
}

export const SESSIONS: ResourceKind<DeletableCollection> = {
  ...READ_ONLY,
  plural: 'sessions',
  singular: 'session',
  open: ({ apiSessions }) => apiSessions as unknown as DeletableCollection,
  columns: [
    ID,
    IDENTITY_NAME,
    column('STATE', 'state'),
    column('LOGIN BY', 'method'),
    column('ADDRESS', 'ipAddress'),
    column('CLIENT', 'client'),
    column('LAST USED', 'cachedLastActivityAt'),
    column('EXPIRES', 'expiresAt'),
    column('SINCE', 'createdAt'),
  ],
}

export const ENROLLMENTS: ResourceKind<DeletableCollection> = {
  ...READ_ONLY,
  plural: 'enrollments',
  singular: 'enrollment',
  open: ({ enrollments }) => enrollments as unknown as DeletableCollection,
  columns: [
    IDENTITY_NAME,
    column('METHOD', 'method'),
    column('USER NAME', 'username'),
    column('EXPIRES', 'expiresAt'),
    { title: 'EXPIRED', get: ({ expiresAt }) => Date.parse(String(expiresAt)) < Date.now() },
    ID,
  ],
}

export const AUTHENTICATORS: ResourceKind<DeletableCollection> = {
  ...READ_ONLY,
  plural: 'authenticators',
  singular: 'authenticator',
  open: ({ authenticators }) => authenticators as unknown as DeletableCollection,
  columns: [
    IDENTITY_NAME,
    column('METHOD', 'method'),
    column('USER NAME', 'username'),
    column('FINGERPRINT', 'fingerprint'),
    column('SINCE', 'createdAt'),
    ID,
  ],
}

/** The refused logins of the last 24 hours. */
export const DECISIONS: ResourceKind<Collection> = {
  ...READ_ONLY,
  plural: 'decisions',
  singular: 'decision',
  defaultSort: 'at desc',
  open: ({ authDecisions }) => authDecisions as unknown as Collection,
  columns: [
    column('AT', 'at'),
    column('REASON', 'reason'),
    column('METHOD', 'method'),
    {
      title: 'IDENTITY',
      get: ({ identityName, claimedIdentity, identityId }) => identityName ?? claimedIdentity ?? identityId,
    },
    { title: 'SIGNER', get: ({ signerName, signerId }) => signerName ?? signerId },
    column('ADDRESS', 'remoteAddress'),
    ID,
  ],
}

const METHOD_NAMES = { cert: 'certificate', extJwt: 'JWT', updb: 'password', passkey: 'passkey' } as const

function listMethods(primary: unknown): string {
  return listAllowed(primary)
    .map((method) => METHOD_NAMES[method])
    .join(', ')
}

function listFactors(secondary: unknown): string {
  const { requireTotp, requireExtJwtSigner, requirePasskey } = (secondary ?? {}) as {
    requireTotp?: boolean
    requirePasskey?: boolean
    requireExtJwtSigner?: string | null
  }
  return [requireTotp && 'one-time code', requirePasskey && 'passkey', requireExtJwtSigner && 'JWT']
    .filter(Boolean)
    .join(', ')
}
