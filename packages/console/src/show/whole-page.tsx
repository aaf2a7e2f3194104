import { Center, Loader, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorNote } from './error-note.tsx'
import { ButtonLink } from './links.tsx'

/** While a page is on its way. */
export function LoadingPage() {
  return (
    <Center mih="50vh">
      <Loader aria-label="Loading" />
    </Center>
  )
}

/** A page that failed to load, with another try. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Center mih="50vh" p="md">
      <ErrorNote error={error} onRetry={again} />
    </Center>
  )
}

export function NotFoundPage() {
  return (
    <Center mih="50vh" p="md" component="main">
      <Stack align="center" ta="center">
        <Title order={1} size="h2">
          There is no such page
        </Title>
        <Text>The address may be mistyped, or what it showed has been deleted.</Text>
        <ButtonLink to="/">Go to the overview</ButtonLink>
      </Stack>
    </Center>
  )
}
