import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { sessionQuery, wantsCode } from '../api/session.ts'
import { readListSearch } from '../list/list-search.ts'
import { ErrorPage, LoadingPage, NotFoundPage } from '../show/whole-page.tsx'

const rootRoute = createRootRoute({
  component: Outlet,
  errorComponent: ErrorPage,
  notFoundComponent: NotFoundPage,
  pendingComponent: LoadingPage,
})

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

/** Everything else needs a whole session. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async () => {
    const session = await queries.ensureQueryData(sessionQuery)
    if (!session || wantsCode(session)) throw redirect({ to: '/sign-in' })
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
})

type ShellParent = typeof shellRoute
const under = (): ShellParent => shellRoute

const overviewRoute = createRoute({
  getParentRoute: under,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
})
const signersRoute = createRoute({
  getParentRoute: under,
  path: '/signers',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('../pages/signers/signers-page.tsx'), 'SignersPage'),
})
const newSignerRoute = createRoute({
  getParentRoute: under,
  path: '/signers/new',
  component: lazyRouteComponent(() => import('../pages/signers/new-signer-page.tsx'), 'NewSignerPage'),
})
const signerRoute = createRoute({
  getParentRoute: under,
  path: '/signers/$id',
  component: lazyRouteComponent(() => import('../pages/signers/signer-page.tsx'), 'SignerPage'),
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([overviewRoute, signersRoute, newSignerRoute, signerRoute]),
])

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPendingComponent: LoadingPage,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
