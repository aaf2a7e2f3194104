import { Center, Loader, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorNote } from './error-note.tsx'
import { ButtonLink } from './links.tsx'

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
        <ButtonLink to="/">Go to the overview</ButtonLink>
      </Stack>
    </Center>
  )
}
