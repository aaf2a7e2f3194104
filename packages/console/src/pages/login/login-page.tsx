import { Center, Divider, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isPartial, sessionQuery } from '../../api/session.ts'
import { ConnectionBanner } from '../../app/connection-banner.tsx'
import markUrl from '../../app/countersign.svg'
import { readLoginSearch } from './login-search.ts'
import { PasskeyLogin } from './passkey-login.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { RefusedNote } from './refused-note.tsx'
import { SecondStep } from './second-step.tsx'

const HOME = '/console'

/** Login by password, passkey or provider, then the second factor, then the requested page. */
export function LoginPage() {
  const { data: session } = useQuery(sessionQuery)
  // The router keeps parameters that its validation removed.
  const { next } = readLoginSearch(useSearch({ from: '/sign-in' }))
  const { history } = useRouter()
  useEffect(() => {
    document.title = 'Sign in · Countersign'
  }, [])
  useEffect(() => {
    if (session && !isPartial(session)) history.replace(next ?? HOME)
  }, [session, next, history])
  const isPartialSession = session !== null && session !== undefined && isPartial(session)
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={400} shadow="sm">
        <Stack>
          <Stack gap={4} align="center">
            <img src={markUrl} alt="" width={44} height={44} />
            <Title order={1} size="h3" ta="center">
              {isPartialSession ? 'One more step' : 'Sign in to Countersign'}
            </Title>
            <Text c="dimmed" size="sm" ta="center" className="breakable">
              {isPartialSession ? `Signing in as ${session.identity.name}` : 'Controller console'}
            </Text>
          </Stack>
          <ConnectionBanner />
          {isPartialSession ? <SecondStep session={session} next={next} /> : <FirstStep next={next} />}
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
      <PasskeyLogin />
      <ProviderButtons divider={<Divider label="or" />} next={next} />
    </>
  )
}
