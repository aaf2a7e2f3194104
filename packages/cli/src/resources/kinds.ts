import { AUTH_POLICY } from '@countersign/contract/auth-policy'
import { CA } from '@countersign/contract/ca'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { IDENTITY } from '@countersign/contract/identity'
import type { KeyStatus } from '@countersign/sdk'
import { deriveMembers } from './derive-members.ts'
import type { Collection, Item, ResourceKind, WritableCollection } from './resource-kind.ts'
import { findTrust } from './trust.ts'
import { deriveTrustMembers } from './trust-members.ts'

const column = (title: string, member: string) => ({ title, get: (item: Item) => item[member] })
const ID = column('ID', 'id')
const NAME = column('NAME', 'name')
const TRUST = { title: 'TRUST', get: (item: Item) => findTrust(item)?.state }

const SIGNER_MEMBERS = deriveMembers(SIGNER.members)

export const SIGNERS: ResourceKind = {
  plural: 'signers',
  singular: 'signer',
  hasNames: true,
  open: ({ signers }) => signers as unknown as WritableCollection,
  columns: [NAME, column('ENABLED', 'enabled'), TRUST, column('ISSUER', 'issuer'), column('AUDIENCE', 'audience'), ID],
  defaults: { enabled: true },
  ...SIGNER_MEMBERS,
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
  defaults: {
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: false, allowedSigners: [] },
      updb: {
        allowed: false,
        minPasswordLength: 8,
        requireSpecialChar: false,
        requireNumberChar: false,
        requireMixedCase: false,
        maxAttempts: 0,
        lockoutDurationMinutes: 0,
      },
    },
    secondary: { requireTotp: false },
  },
  ...deriveMembers(AUTH_POLICY.members),
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

export const SESSIONS: ResourceKind<Collection> = {
  plural: 'sessions',
  singular: 'session',
  hasNames: false,
  open: ({ apiSessions }) => apiSessions as unknown as Collection,
  columns: [
    ID,
    { title: 'IDENTITY', get: ({ identity }) => (identity as { name?: string } | undefined)?.name },
    column('ADDRESS', 'ipAddress'),
    column('LAST USED', 'cachedLastActivityAt'),
    column('SINCE', 'createdAt'),
  ],
  members: {},
  fields: [],
  defaults: {},
  writable: [],
  readOnly: [],
}

interface Primary {
  readonly cert?: { readonly allowed: boolean }
  readonly extJwt?: { readonly allowed: boolean }
  readonly updb?: { readonly allowed: boolean }
  readonly passkey?: { readonly allowed: boolean }
}

function listMethods(primary: unknown): string {
  const { cert, extJwt, updb, passkey } = (primary ?? {}) as Primary
  const methods = [
    cert?.allowed && 'certificate',
    extJwt?.allowed && 'JWT',
    updb?.allowed && 'password',
    passkey?.allowed && 'passkey',
  ]
  return methods.filter(Boolean).join(', ')
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
