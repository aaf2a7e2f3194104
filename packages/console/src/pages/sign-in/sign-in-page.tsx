import { Center, Divider, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { sessionQuery, signOut, wantsCode } from '../../api/session.ts'
import { ConnectionBanner } from '../../app/connection-banner.tsx'
import markUrl from '../../app/countersign.svg'
import { CodeForm } from './code-form.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { RefusedNote } from './refused-note.tsx'

/** Password, or a provider; then a one-time code where the session asks for one. */
export function SignInPage() {
  const { data: session } = useQuery(sessionQuery)
  const navigate = useNavigate()
  useEffect(() => {
    document.title = 'Sign in · Countersign'
  }, [])
  useEffect(() => {
    if (session && !wantsCode(session)) void navigate({ to: '/' })
  }, [session, navigate])
  const asksForCode = session !== null && session !== undefined && wantsCode(session)
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={400} shadow="sm">
        <Stack>
          <Stack gap={4} align="center">
            <img src={markUrl} alt="" width={44} height={44} />
            <Title order={1} size="h3">
              {asksForCode ? 'One more step' : 'Sign in to Countersign'}
            </Title>
            <Text c="dimmed" size="sm" ta="center">
              {asksForCode ? 'Your policy asks for a one-time code.' : 'The console of this controller'}
            </Text>
          </Stack>
          <ConnectionBanner />
          {asksForCode ? (
            <CodeForm onCancel={() => void signOut()} />
          ) : (
            <>
              <RefusedNote />
              <PasswordForm />
              <ProviderButtons divider={<Divider label="or" />} />
            </>
          )}
        </Stack>
      </Paper>
    </Center>
  )
}
