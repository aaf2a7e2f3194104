import { Alert, Code, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { CallFailed, isUnreachable } from '../../api/call-failed.ts'
import { ErrorNote } from '../../show/error-note.tsx'
import { readLoginSearch } from './login-search.ts'

/** Texts for the server's `why` codes of a failed login at a provider. */
const REASONS: Readonly<Record<string, string>> = {
  signer: 'This login method is no longer available.',
  denied: 'The login was cancelled at the provider.',
  provider: 'The provider did not respond, or its response is not valid.',
  expired: 'The login took too long, or was started in another browser. Try again.',
}

/** Shown after a failed login at a provider. */
export function RefusedNote() {
  const { error, why = '' } = readLoginSearch(useSearch({ from: '/sign-in' }))
  if (error === undefined) return null
  return <Refused requestId={error} reason={Object.hasOwn(REASONS, why) ? REASONS[why] : undefined} />
}

/** Shown after a failed password login. A 401 gives no reason: an unknown user name looks like a wrong password. */
export function LoginRefused({ error }: { readonly error: unknown }) {
  if (error instanceof CallFailed && error.status === 401) return <Refused title={WRONG} requestId={error.requestId} />
  return <ErrorNote error={error} {...(isUnreachable(error) ? {} : { title: 'Login failed' })} />
}

/** Shown after a refused login by passkey. A 401 gives no reason. */
export function PasskeyRefused({ requestId }: { readonly requestId: string | undefined }) {
  return <Refused requestId={requestId} reason="The passkey was removed, or your policy does not allow it." />
}

const WRONG = 'Wrong user name or password'

function Refused({
  title = 'Login refused',
  requestId,
  reason,
}: {
  readonly title?: string
  readonly requestId: string | undefined
  readonly reason?: string | undefined
}) {
  return (
    <Alert color="red" variant="light" title={title} role="alert">
      {reason && <Text size="sm">{reason}</Text>}
      <Text size="sm">An administrator can look up the reason by this request id:</Text>
      {requestId && <Code className="breakable">{requestId}</Code>}
    </Alert>
  )
}
