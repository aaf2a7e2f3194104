import type { Permission } from '../permission.ts'
import type { AccountRole } from './organization.ts'

/** The access that a call of the hosted API needs. `operator` is the administrator of the organization that owns the controller. */
export type HostedAccess = 'read' | 'networks' | 'admin' | 'operator'

/** The accesses that roles give. None gives `operator`, which depends on the organization. */
type RoleAccess = Exclude<HostedAccess, 'operator'>

/** What each access permits, as shown to users. */
const PERMITTED: Readonly<Record<HostedAccess, readonly string[]>> = {
  read: [
    ...['organization.read', 'network.read', 'network-group.read', 'api-account.read', 'identity-provider.read'],
    ...['role.read', 'audit-event.read', 'account-job.read', 'network.exchange'],
  ],
  networks: ['network.create', 'network.update', 'network.delete'],
  admin: [
    ...['organization.update', 'api-account.create', 'api-account.update', 'api-account.rotate', 'api-account.delete'],
    'api-account.pick-up',
    ...['identity-provider.create', 'identity-provider.update', 'identity-provider.delete', 'identity-provider.test'],
    ...['account-job.repeat', 'account-job.delete'],
  ],
  operator: ['operator.read', 'operator.suspend', 'operator.resume', 'operator.update-quotas'],
}

interface RoleRow {
  /** The name of the role in `/auth/v1/roles`, from which its id is derived. */
  readonly code: string
  readonly name: string
  readonly description: string
  readonly accesses: readonly RoleAccess[]
  /** The rights of a session that the account gets by `exchange` on the controller of a network. */
  readonly session: { readonly isAdmin: boolean; readonly permissions: readonly Permission[] }
}

/** The permissions to manage what a network consists of, without power over administrators and rights. */
const NETWORK_PERMISSIONS: readonly Permission[] = [
  ...(['admin_readonly', 'auth-policy', 'ca', 'enrollment', 'external-jwt-signer'] as const),
  'identity',
]

/** The roles of API accounts, the least one last. */
const ROLES: Readonly<Record<AccountRole, RoleRow>> = {
  admin: {
    code: 'organization-admin',
    name: 'Organization admin',
    description: 'reads and changes everything of the organization',
    accesses: ['read', 'networks', 'admin'],
    session: { isAdmin: true, permissions: [] },
  },
  'network-admin': {
    code: 'network-admin',
    name: 'Network admin',
    description:
      'reads everything of the organization and changes its networks, but no accounts and identity providers',
    accesses: ['read', 'networks'],
    session: { isAdmin: false, permissions: NETWORK_PERMISSIONS },
  },
  'read-only': {
    code: 'organization-read-only',
    name: 'Organization read-only',
    description: 'reads everything of the organization',
    accesses: ['read'],
    session: { isAdmin: false, permissions: ['admin_readonly'] },
  },
}

/** A role as users see it. */
export interface ShownRole extends Pick<RoleRow, 'code' | 'name' | 'description'> {
  /** The value of an account's `role`. */
  readonly role: AccountRole
  /** What the role permits at the hosted API, as `resource.action`. */
  readonly permissions: readonly string[]
  /** The permissions of a session that `exchange` gives; `admin` stands for all of them. */
  readonly sessionPermissions: readonly string[]
}

export const SHOWN_ROLES: readonly ShownRole[] = (Object.entries(ROLES) as [AccountRole, RoleRow][]).map(
  ([role, { code, name, description, accesses, session }]) => ({
    code,
    name,
    description,
    role,
    permissions: accesses.flatMap((access) => PERMITTED[access]),
    sessionPermissions: session.isAdmin ? ['admin'] : session.permissions,
  }),
)

/** The roles in the organization that owns the controller: its administrators are the operator. */
export const SHOWN_OPERATOR_ROLES: readonly ShownRole[] = SHOWN_ROLES.map((shown) =>
  shown.role === 'admin' ? { ...shown, permissions: [...shown.permissions, ...PERMITTED.operator] } : shown,
)

/** The name of a role, for display. */
export function roleName(role: AccountRole): string {
  return ROLES[role].name
}

/** Whether a role gives an access. */
export function roleGives(role: AccountRole, access: RoleAccess): boolean {
  return ROLES[role].accesses.includes(access)
}

/** The rights of an account's sessions on the controller of a network. */
export function sessionRightsOf(role: AccountRole): RoleRow['session'] {
  return ROLES[role].session
}
