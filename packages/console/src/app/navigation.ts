/** The groups of the main menu. */
export const NAVIGATION = [
  { label: undefined, links: [{ to: '/', label: 'Overview' }] },
  {
    label: 'Access',
    links: [
      { to: '/signers', label: 'Signers' },
      { to: '/cas', label: 'CAs' },
      { to: '/policies', label: 'Authentication policies' },
      { to: '/identities', label: 'Identities' },
      { to: '/sessions', label: 'API sessions' },
    ],
  },
  {
    label: 'Diagnosis',
    links: [
      { to: '/test-token', label: 'Test a token' },
      { to: '/decisions', label: 'Decisions' },
      { to: '/events', label: 'Events' },
    ],
  },
  {
    label: 'Organization',
    links: [
      { to: '/organization/networks', label: 'Networks' },
      { to: '/organization/providers', label: 'Identity providers' },
      { to: '/organization/api-accounts', label: 'Manage API Account' },
      { to: '/organization/audit-events', label: 'Audit events' },
      { to: '/organization/account-jobs', label: 'Jobs at providers' },
    ],
  },
  { label: 'Operator', isForAdmin: true, links: [{ to: '/organization/all', label: 'Organizations' }] },
] as const

type Group = (typeof NAVIGATION)[number]

/** Whether a group is in the menu of an identity. The operator is an administrator of this controller. */
export function isShownTo(group: Group, identity: { readonly isAdmin: boolean } | undefined): boolean {
  return !('isForAdmin' in group) || identity?.isAdmin === true
}
