import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { meets } from '../api/rights.ts'
import { currentIdentityQuery, isPartial, sessionQuery } from '../api/session.ts'
import { readListSearch } from '../list/list-search.ts'
import { readLoginSearch } from '../pages/login/login-search.ts'
import { ErrorPage, LoadingPage, NotFoundPage } from '../show/whole-page.tsx'
import { OVERVIEW_CALLS } from './page-needs.ts'

const HOME = '/'

const rootRoute = createRootRoute({ component: Outlet, errorComponent: ErrorPage, notFoundComponent: NotFoundPage })

const login = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readLoginSearch,
  component: lazyRouteComponent(() => import('../pages/login/login-page.tsx'), 'LoginPage'),
})

/** What the link of an invitation opens: the invited person has no session yet. */
const accept = createRoute({
  getParentRoute: () => rootRoute,
  path: '/enroll',
  component: lazyRouteComponent(() => import('../pages/enrollments/accept-page.tsx'), 'AcceptPage'),
})

/** All other pages need a complete session. Its rights are loaded with it: menu and buttons depend on them. */
const shell = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ search, location }) => {
    const session = await queries.ensureQueryData(sessionQuery)
    const loginSearch = { next: location.publicHref, ...(search as Record<string, unknown>) }
    if (!session || isPartial(session)) throw redirect({ to: '/sign-in', search: readLoginSearch(loginSearch) })
    const caller = await queries.ensureQueryData(currentIdentityQuery)
    if (location.pathname === HOME && !meets(caller, OVERVIEW_CALLS)) throw redirect({ to: '/account' })
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
})

type Page = Parameters<typeof lazyRouteComponent>[0]

const parentShell = (): typeof shell => shell
const show = <Path extends string>(path: Path, page: Page, name: string) =>
  createRoute({ getParentRoute: parentShell, path, component: lazyRouteComponent(page, name as 'default') })
const list = <Path extends string>(path: Path, page: Page, name: string) =>
  createRoute({
    getParentRoute: parentShell,
    path,
    validateSearch: readListSearch,
    component: lazyRouteComponent(page, name as 'default'),
  })

const testToken = createRoute({
  getParentRoute: parentShell,
  path: '/test-token',
  validateSearch: ({ signer }: { readonly signer?: unknown }) => (typeof signer === 'string' ? { signer } : {}),
  component: lazyRouteComponent(() => import('../pages/diagnosis/test-token-page.tsx'), 'TestTokenPage'),
})

const pages = [
  show('/', () => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
  show('/account', () => import('../pages/account/account-page.tsx'), 'AccountPage'),
  list('/signers', () => import('../pages/signers/signers-page.tsx'), 'SignersPage'),
  show('/signers/new', () => import('../pages/signers/new-signer-page.tsx'), 'NewSignerPage'),
  show('/signers/$id', () => import('../pages/signers/signer-page.tsx'), 'SignerPage'),
  show('/signers/$id/edit', () => import('../pages/signers/edit-signer-page.tsx'), 'EditSignerPage'),
  list('/policies', () => import('../pages/policies/policies-page.tsx'), 'PoliciesPage'),
  show('/policies/new', () => import('../pages/policies/policy-page.tsx'), 'NewPolicyPage'),
  show('/policies/$id', () => import('../pages/policies/policy-page.tsx'), 'PolicyPage'),
  list('/cas', () => import('../pages/cas/cas-page.tsx'), 'CasPage'),
  show('/cas/new', () => import('../pages/cas/edit-ca-page.tsx'), 'NewCaPage'),
  show('/cas/$id', () => import('../pages/cas/ca-page.tsx'), 'CaPage'),
  show('/cas/$id/edit', () => import('../pages/cas/edit-ca-page.tsx'), 'EditCaPage'),
  list('/identities', () => import('../pages/identities/identities-page.tsx'), 'IdentitiesPage'),
  list('/identities/new', () => import('../pages/identities/edit-identity-page.tsx'), 'NewIdentityPage'),
  show('/identities/$id', () => import('../pages/identities/identity-page.tsx'), 'IdentityPage'),
  show('/identities/$id/edit', () => import('../pages/identities/edit-identity-page.tsx'), 'EditIdentityPage'),
  list('/enrollments', () => import('../pages/enrollments/enrollments-page.tsx'), 'EnrollmentsPage'),
  list('/sessions', () => import('../pages/diagnosis/sessions-page.tsx'), 'SessionsPage'),
  testToken,
  list('/decisions', () => import('../pages/diagnosis/decisions-page.tsx'), 'DecisionsPage'),
  show('/decisions/$id', () => import('../pages/diagnosis/decision-page.tsx'), 'DecisionPage'),
  show('/events', () => import('../pages/diagnosis/events-page.tsx'), 'EventsPage'),
  list('/history', () => import('../pages/history/history-page.tsx'), 'HistoryPage'),
  show('/history/$id', () => import('../pages/history/entry-page.tsx'), 'EntryPage'),
  list('/sinks', () => import('../pages/sinks/sinks-page.tsx'), 'SinksPage'),
  show('/sinks/new', () => import('../pages/sinks/edit-sink-page.tsx'), 'NewSinkPage'),
  show('/sinks/$id', () => import('../pages/sinks/sink-page.tsx'), 'SinkPage'),
  show('/sinks/$id/edit', () => import('../pages/sinks/edit-sink-page.tsx'), 'EditSinkPage'),
  list('/organization/networks', () => import('../pages/organization/networks-page.tsx'), 'NetworksPage'),
  show('/organization/networks/new', () => import('../pages/organization/network-page.tsx'), 'NewNetworkPage'),
  show('/organization/networks/$id', () => import('../pages/organization/network-page.tsx'), 'NetworkPage'),
  list('/organization/providers', () => import('../pages/organization/providers-page.tsx'), 'ProvidersPage'),
  show('/organization/providers/new', () => import('../pages/organization/provider-page.tsx'), 'NewProviderPage'),
  show('/organization/providers/$id', () => import('../pages/organization/provider-page.tsx'), 'ProviderPage'),
  list('/organization/api-accounts', () => import('../pages/organization/accounts-page.tsx'), 'AccountsPage'),
  list('/organization/account-jobs', () => import('../pages/organization/account-jobs-page.tsx'), 'AccountJobsPage'),
  show('/organization/api-accounts/new', () => import('../pages/organization/new-account-page.tsx'), 'NewAccountPage'),
  show(
    '/organization/api-accounts/new-federated',
    () => import('../pages/organization/new-federated-page.tsx'),
    'NewFederatedPage',
  ),
  show('/organization/api-accounts/$id', () => import('../pages/organization/account-page.tsx'), 'AccountPage'),
  show('/organization/audit-events', () => import('../pages/organization/audit-events-page.tsx'), 'AuditEventsPage'),
  list('/organization/all', () => import('../pages/organization/organizations-page.tsx'), 'OrganizationsPage'),
  show(
    '/organization/all/$id',
    () => import('../pages/organization/operator-organization-page.tsx'),
    'OperatorOrganizationPage',
  ),
] as const

export const router = createRouter({
  routeTree: rootRoute.addChildren([login, accept, shell.addChildren(pages)]),
  basepath: '/console',
  defaultPendingComponent: LoadingPage,
  defaultErrorComponent: ErrorPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
