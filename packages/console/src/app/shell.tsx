import { AppShell, Box, Burger, Button, Group, Menu, NavLink, ScrollArea, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches, useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { currentIdentityQuery, isPartial, logOut, sessionQuery } from '../api/session.ts'
import { discardUnsaved } from '../form/unsaved.ts'
import { GlobalSearch } from '../list/global-search.tsx'
import { readLoginSearch } from '../pages/login/login-search.ts'
import { NotAllowedPage } from '../show/whole-page.tsx'
import { ColorSchemeToggle } from './color-scheme-toggle.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import markUrl from './countersign.svg'
import { NavIcon } from './nav-icon.tsx'
import { NAVIGATION } from './navigation.ts'
import { useMayOpen } from './page-needs.ts'
import { UnsavedQuestion } from './unsaved-question.tsx'

/** The layout of every page: menu, current identity, content. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const mayOpen = useMayOpen()
  // Reloads the rights of the session from time to time.
  useQuery(currentIdentityQuery)
  useLogoutRedirect()
  useReloadOnSessionChange()
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isOpen}
            />
            <img src={markUrl} alt="" width={26} height={26} />
            <Text fw={700}>Countersign</Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Box visibleFrom="sm">
              <GlobalSearch />
            </Box>
            <ColorSchemeToggle />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Main">
        <AppShell.Section hiddenFrom="sm" p="sm" pb={0}>
          <GlobalSearch onOpen={close} />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea} p="sm">
          {NAVIGATION.map(({ label, links }) => ({ label, links: links.filter(({ to }) => mayOpen(to)) }))
            .filter(({ links }) => links.length > 0)
            .map((group) => (
              <Box key={group.label ?? 'top'} mb="sm" role="group" aria-label={group.label ?? 'Start'}>
                {group.label && (
                  <Text size="xs" c="dimmed" fw={600} px="sm" pb={4} aria-hidden>
                    {group.label}
                  </Text>
                )}
                {group.links.map(({ to, label }) => (
                  <NavLink
                    key={to}
                    component={Link}
                    to={to}
                    label={label}
                    leftSection={<NavIcon page={to} />}
                    bdrs="sm"
                    active={isCurrent(path, to)}
                    aria-current={isCurrent(path, to) ? 'page' : undefined}
                    onClick={close}
                  />
                ))}
              </Box>
            ))}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <ConnectionBanner />
        <UnsavedQuestion />
        <Box maw={1200}>
          <CurrentPage />
        </Box>
      </AppShell.Main>
    </AppShell>
  )
}

/** The page of the URL, unless the session may not open it. */
function CurrentPage() {
  const page = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' })
  const mayOpen = useMayOpen()
  return mayOpen(page.replace(/(.)\/$/, '$1')) ? <Outlet /> : <NotAllowedPage />
}

function isCurrent(path: string, to: string): boolean {
  return to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)
}

function UserMenu() {
  const { data: identity } = useQuery(currentIdentityQuery)
  const leave = () =>
    logOut().catch(() => notifications.show({ message: 'You are still signed in. Try again.', color: 'red' }))
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" size="xs" maw={160} aria-label={`Signed in as ${identity?.name ?? '…'}`}>
          <Text size="xs" truncate>
            {identity?.name ?? '…'}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{identity?.isAdmin ? 'Administrator' : 'Signed in'}</Menu.Label>
        <Menu.Item component={Link} to="/account">
          My account
        </Menu.Item>
        <Menu.Item component="a" href="/api-docs/">
          API reference
        </Menu.Item>
        <Menu.Item onClick={() => void leave()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const POLL_MS = 15_000

/** Redirects to the login page, and back after the login, when the session has ended or needs a second factor. */
function useLogoutRedirect(): void {
  const { data: session } = useQuery({ ...sessionQuery, refetchInterval: POLL_MS, refetchOnWindowFocus: true })
  const navigate = useNavigate()
  const router = useRouter()
  useEffect(() => {
    if (session === undefined || (session && !isPartial(session))) return
    const search = readLoginSearch({ next: router.state.location.publicHref })
    void navigate({ to: '/sign-in', search })
  }, [session, navigate, router])
}

/** Reloads the page when another tab has logged in as another identity. */
function useReloadOnSessionChange(): void {
  const { data: session } = useQuery(sessionQuery)
  const first = useRef<string>(undefined)
  useEffect(() => {
    first.current ??= session?.id
    if (session && session.id !== first.current) {
      discardUnsaved()
      window.location.reload()
    }
  }, [session])
}
