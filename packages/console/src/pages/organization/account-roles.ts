import type { Account } from '../../api/wire.ts'

export const ROLES: readonly { readonly value: Account['role']; readonly label: string }[] = [
  { value: 'admin', label: 'Administrator' },
  { value: 'network-admin', label: 'Network administrator' },
  { value: 'read-only', label: 'Read only' },
]

export function roleLabel(role: Account['role']): string {
  return ROLES.find(({ value }) => value === role)?.label ?? role
}
