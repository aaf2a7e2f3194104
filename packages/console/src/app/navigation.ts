/** The groups of the main menu. Links to pages that the session may not open are left out. */
export const NAVIGATION = [
  {
    label: undefined,
    links: [
      { to: '/', label: 'Overview' },
      { to: '/account', label: 'My account' },
    ],
  },
  {
    label: 'Access',
    links: [
      { to: '/signers', label: 'Signers' },
      { to: '/cas', label: 'CAs' },
      { to: '/policies', label: 'Authentication policies' },
      { to: '/identities', label: 'Identities' },
      { to: '/enrollments', label: 'Invitations' },
      { to: '/sessions', label: 'API sessions' },
    ],
  },
  {
    label: 'Diagnosis',
    links: [
      { to: '/test-token', label: 'Test a token' },
      { to: '/decisions', label: 'Decisions' },
      { to: '/events', label: 'Events' },
      { to: '/history', label: 'Change history' },
      { to: '/sinks', label: 'Event sinks' },
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
  { label: 'Operator', links: [{ to: '/organization/all', label: 'Organizations' }] },
] as const
