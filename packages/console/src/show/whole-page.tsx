import { Center, Loader, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorNote } from './error-note.tsx'
import { PlainButtonLink } from './links.tsx'
import { PageHead } from './page-head.tsx'

export function LoadingPage() {
  return (
    <Center mih="50vh">
      <Loader aria-label="Loading" />
    </Center>
  )
}

/** A page that failed to load, with a retry button. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Center mih="50vh" p="md">
      <ErrorNote error={error} onRetry={retry} />
    </Center>
  )
}

export function NotFoundPage() {
  return (
    <Center mih="50vh" p="md" component="main">
      <Stack align="center" ta="center">
        <Title order={1} size="h2">
          Page not found
        </Title>
        <Text>Check the URL; its entity may have been deleted.</Text>
        <PlainButtonLink to="/">Go to the first page</PlainButtonLink>
      </Stack>
    </Center>
  )
}

/** Shown in place of a page that needs a permission which the session does not have. */
export function NotAllowedPage() {
  return (
    <Stack>
      <PageHead title="You may not see this" />
      <Text>Your session does not have the permission for this page. An administrator can give it to you.</Text>
      <div>
        <PlainButtonLink to="/account" variant="default">
          My account
        </PlainButtonLink>
      </div>
    </Stack>
  )
}
