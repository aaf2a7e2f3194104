/** The strokes of the icons of the menu, by page, in a square of 24. */
const STROKES: Readonly<Record<string, string>> = {
  '/': 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  '/account': 'M12 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM5 20c0-4 3-6 7-6s7 2 7 6',
  '/signers': 'M8 15a4 4 0 1 1 3.5-6H21v4h-3v3h-4v-3h-2.500A4 4 0 0 1 8 15zM7.500 11h.01',
  '/cas': 'M5 4h14v11H5zM8 8h8M8 11h5M14 15v6l2-1.500 2 1.500v-6',
  '/policies': 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4',
  '/identities':
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 20c0-3.500 2.500-5.500 6-5.500s6 2 6 5.500M16 5.500a3 3 0 0 1 0 5M18 14.800c2 .7 3 2.500 3 5.200',
  '/enrollments': 'M4 6h16v12H4zM4 7l8 6 8-6',
  '/sessions': 'M4 5h16v11H4zM9 20h6M12 16v4',
  '/test-token': 'M10 4v5L5 18c-.6 1.200.2 2 1.500 2h11c1.300 0 2.100-.8 1.500-2L14 9V4M9 4h6M8 14h8',
  '/decisions': 'M12 4v16M6 20h12M5 8h14M5 8l-2.500 6h5zM19 8l-2.500 6h5z',
  '/events': 'M3 12h4l3-7 4 14 3-7h4',
  '/history': 'M12 7v5l3 2M4.500 9A8 8 0 1 1 4 12M4 5v4h4',
  '/sinks': 'M4 12h10M11 8l4 4-4 4M15 5h5v14h-5',
  '/organization/networks': 'M12 8V4M12 8l-6 8M12 8l6 8M12 4h.01M4 16h4v4H4zM16 16h4v4h-4zM10 4h4v4h-4z',
  '/organization/providers': 'M4 20V9l8-5 8 5v11zM9 20v-6h6v6',
  '/organization/api-accounts': 'M6 9h12v10H6zM12 9V5M12 5h.01M9.500 13h.01M14.500 13h.01M10 16h4M3 13v3M21 13v3',
  '/organization/audit-events': 'M6 3h9l4 4v14H6zM9 11h7M9 14h7M9 17h4',
  '/organization/account-jobs': 'M12 8v4l3 2M4 12a8 8 0 1 1 3 6.200M4 19v-4h4',
  '/organization/all': 'M4 20V6h8v14M12 10h8v10M4 20h16M7 9h2M7 12h2M7 15h2M15 13h2M15 16h2',
}
const OTHERS = 'M12 12h.01M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z'

/** The icon of a page in the menu. Only an ornament: the label is beside it. */
export function NavIcon({ page }: { readonly page: string }) {
  return (
    <svg className="nav-icon" width="18" height="18" viewBox="0 0 24 24" aria-hidden="true">
      <path d={STROKES[page] ?? OTHERS} />
    </svg>
  )
}
