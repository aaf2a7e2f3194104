import { Alert, Button, Center, Code, List, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { controller } from '../../api/client.ts'
import { ConnectionBanner } from '../../app/connection-banner.tsx'
import markUrl from '../../app/countersign.svg'
import { useServerForm } from '../../form/use-server-form.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { downloadText } from '../../show/download.ts'
import { ErrorNote } from '../../show/error-note.tsx'
import { Instant } from '../../show/instant.tsx'
import { PlainButtonLink } from '../../show/links.tsx'
import { QrCode } from '../../show/qr-code.tsx'
import { checkNewPassword } from '../identities/password-rules.ts'
import { type Invitation, readInvitation } from './invitation-link.ts'

const TOKEN_FILE = 'invitation.jwt'

/** What the link of an invitation opens. Needs no session. */
export function AcceptPage() {
  const [invitation] = useState(() => readInvitation(window.location.hash))
  useEffect(() => {
    document.title = 'Invitation · Countersign'
  }, [])
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={480} shadow="sm">
        <Stack>
          <Stack gap={4} align="center">
            <img src={markUrl} alt="" width={44} height={44} />
            <Title order={1} size="h3" ta="center">
              Your invitation
            </Title>
          </Stack>
          <ConnectionBanner />
          <Content invitation={invitation} />
        </Stack>
      </Paper>
    </Center>
  )
}

function Content({ invitation }: { readonly invitation: Invitation | undefined }) {
  if (!invitation) {
    return (
      <Alert color="red" variant="light" title="This link has no invitation">
        Open the whole link that you were given. It ends with a long token.
      </Alert>
    )
  }
  const { expiresAt, method } = invitation
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    return (
      <Alert color="red" variant="light" title="This invitation has expired">
        It was valid until <Instant at={expiresAt.toISOString()} />. Ask your administrator to renew it.
      </Alert>
    )
  }
  return (
    <>
      <Text size="sm" c="dimmed" ta="center">
        It works once, until <Instant at={expiresAt?.toISOString()} />.
      </Text>
      {method === 'updb' ? <ChoosePassword jwt={invitation.jwt} /> : <UseToken jwt={invitation.jwt} />}
    </>
  )
}

function ChoosePassword({ jwt }: { readonly jwt: string }) {
  const [username, setUsername] = useState<string>()
  const { form, formError, isBusy, submit } = useServerForm({
    initialValues: { password: '', again: '' },
    asksBeforeLeaving: false,
    validate: {
      password: (value) => checkNewPassword(value),
      again: (value, { password }) => (value === password ? null : 'The passwords differ'),
    },
    send: async ({ password }) => {
      const name = await controller.enrollment.withPassword(jwt, password)
      // A used token is of no use to the next person at this computer.
      window.history.replaceState(window.history.state, '', window.location.pathname)
      setUsername(name ?? '')
    },
  })
  if (username !== undefined) {
    return (
      <Alert color="green" variant="light" title="Your password is set" role="status">
        <Stack gap="sm" align="start">
          <Text size="sm" className="breakable">
            Your user name is <strong>{username}</strong>.
          </Text>
          <PlainButtonLink to="/sign-in">Sign in</PlainButtonLink>
        </Stack>
      </Alert>
    )
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">Choose the password with which you sign in.</Text>
        <PasswordInput
          label="Password"
          required
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          {...form.getInputProps('password')}
        />
        <PasswordInput
          label="Password again"
          required
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the repeated password' }}
          {...form.getInputProps('again')}
        />
        {formError !== undefined && <ErrorNote error={formError} />}
        <Button type="submit" loading={isBusy} fullWidth>
          Set the password
        </Button>
      </Stack>
    </form>
  )
}

/** A certificate is for a program, which makes the key itself. */
function UseToken({ jwt }: { readonly jwt: string }) {
  return (
    <Stack gap="sm" align="center">
      <Text size="sm">This invitation gives a certificate to a program on your device.</Text>
      <QrCode text={jwt} label="QR code of the invitation" />
      <ActionButton variant="filled" onAct={async () => downloadText(TOKEN_FILE, jwt, 'application/jwt')}>
        Download the token
      </ActionButton>
      <List size="sm" spacing={4} w="100%">
        <List.Item>On a phone, scan the code with the app of your network.</List.Item>
        <List.Item>
          On a computer, open the file with the app, or run <Code>countersign enroll {TOKEN_FILE}</Code>.
        </List.Item>
      </List>
    </Stack>
  )
}
