import type { CurrentApiSession } from '@countersign/sdk'
import { Button, Center, Divider, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isPartial, sessionQuery, signOut, wantedSigner, wantsCode } from '../../api/session.ts'
import { ConnectionBanner } from '../../app/connection-banner.tsx'
import markUrl from '../../app/countersign.svg'
import { CodeForm } from './code-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProviderButtons, providerWay } from './provider-buttons.tsx'
import { RefusedNote } from './refused-note.tsx'

/** Password, or a provider; then a one-time code where the session asks for one. */
export function SignInPage() {
  const { data: session } = useQuery(sessionQuery)
  const navigate = useNavigate()
  useEffect(() => {
    document.title = 'Sign in · Countersign'
  }, [])
  useEffect(() => {
    if (session && !isPartial(session)) void navigate({ to: '/' })
  }, [session, navigate])
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
            <Text c="dimmed" size="sm" ta="center">
              {isHalfWay ? 'Your policy asks for more than that.' : 'The console of this controller'}
            </Text>
          </Stack>
          <ConnectionBanner />
          {isHalfWay ? <SecondStep session={session} /> : <FirstStep />}
        </Stack>
      </Paper>
    </Center>
  )
}

function FirstStep() {
  return (
    <>
      <RefusedNote />
      <PasswordForm />
      <ProviderButtons divider={<Divider label="or" />} />
    </>
  )
}

function SecondStep({ session }: { readonly session: CurrentApiSession }) {
  const signerId = wantedSigner(session)
  return (
    <>
      {wantsCode(session) ? (
        <CodeForm />
      ) : (
        signerId && (
          <Button component="a" href={providerWay(signerId)} fullWidth>
            Continue with your provider
          </Button>
        )
      )}
      <Button variant="subtle" onClick={() => void signOut()} fullWidth>
        Sign in as somebody else
      </Button>
    </>
  )
}
