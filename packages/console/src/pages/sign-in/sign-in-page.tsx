import { Center, Divider, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isPartial, sessionQuery } from '../../api/session.ts'
import { ConnectionBanner } from '../../app/connection-banner.tsx'
import markUrl from '../../app/countersign.svg'
import { PasswordForm } from './password-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { RefusedNote } from './refused-note.tsx'
import { SecondStep } from './second-step.tsx'
import { readSignInSearch } from './sign-in-search.ts'

const HOME = '/console'

/** Password, or a provider; then whatever the session still lacks; then on to the page that was asked for. */
export function SignInPage() {
  const { data: session } = useQuery(sessionQuery)
  // The router leaves in what its validation leaves out.
  const { next } = readSignInSearch(useSearch({ from: '/sign-in' }))
  const { history } = useRouter()
  useEffect(() => {
    document.title = 'Sign in · Countersign'
  }, [])
  useEffect(() => {
    if (session && !isPartial(session)) history.replace(next ?? HOME)
  }, [session, next, history])
  const isHalfWay = session !== null && session !== undefined && isPartial(session)
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={400} shadow="sm">
        <Stack>
          <Stack gap={4} align="center">
            <img src={markUrl} alt="" width={44} height={44} />
            <Title order={1} size="h3" ta="center">
              {isHalfWay ? 'One more step' : 'Sign in to Countersign'}
            </Title>
            <Text c="dimmed" size="sm" ta="center" className="breakable">
              {isHalfWay ? `Signing in as ${session.identity.name}` : 'The console of this controller'}
            </Text>
          </Stack>
          <ConnectionBanner />
          {isHalfWay ? <SecondStep session={session} next={next} /> : <FirstStep next={next} />}
        </Stack>
      </Paper>
    </Center>
  )
}

function FirstStep({ next }: { readonly next: string | undefined }) {
  return (
    <>
      <RefusedNote />
      <PasswordForm />
      <ProviderButtons divider={<Divider label="or" />} next={next} />
    </>
  )
}
