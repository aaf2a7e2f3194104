import { Alert, Code, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { CallFailed, isUnanswered } from '../../api/call-failed.ts'
import { ErrorNote } from '../../show/error-note.tsx'
import { readSignInSearch } from './sign-in-search.ts'

/** Why the way over a provider came to nothing, by the word that the server uses. */
const REASONS: Readonly<Record<string, string>> = {
  signer: 'This way to sign in is not there any more.',
  denied: 'The provider says that it was called off.',
  provider: 'The provider gave no usable answer.',
  expired: 'It took too long, or was begun in another browser. Try again.',
}

/** After the way back from a provider that did not let somebody in. */
export function RefusedNote() {
  const { error, why = '' } = readSignInSearch(useSearch({ from: '/sign-in' }))
  if (error === undefined) return null
  return <Refused requestId={error} reason={Object.hasOwn(REASONS, why) ? REASONS[why] : undefined} />
}

/** A refusal of user name and password says no more than that. */
export function SignInRefused({ problem }: { readonly problem: unknown }) {
  if (problem instanceof CallFailed && problem.status === 401) return <Refused requestId={problem.requestId} />
  return <ErrorNote error={problem} {...(isUnanswered(problem) ? {} : { title: 'Signing in did not work' })} />
}

function Refused({
  requestId,
  reason,
}: {
  readonly requestId: string | undefined
  readonly reason?: string | undefined
}) {
  return (
    <Alert color="red" variant="light" title="You were not let in" role="alert">
      {reason && <Text size="sm">{reason}</Text>}
      <Text size="sm">An administrator can look up why, under this request id:</Text>
      {requestId && <Code className="breakable">{requestId}</Code>}
    </Alert>
  )
}
