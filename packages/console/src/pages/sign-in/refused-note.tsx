import { Alert, Code, Text } from '@mantine/core'
import { CallFailed, isUnanswered } from '../../api/call-failed.ts'
import { ErrorNote } from '../../show/error-note.tsx'

/** After the way back from a provider that did not let somebody in: the address says under which id the story is kept. */
export function RefusedNote() {
  const query = new URLSearchParams(window.location.search)
  const refused = query.get('refused') ?? query.get('error')
  return refused === null ? null : <Refused requestId={refused} />
}

/** A refusal of user name and password says no more than that. */
export function SignInRefused({ problem }: { readonly problem: unknown }) {
  if (problem instanceof CallFailed && problem.status === 401) return <Refused requestId={problem.requestId} />
  return <ErrorNote error={problem} {...(isUnanswered(problem) ? {} : { title: 'Signing in did not work' })} />
}

function Refused({ requestId }: { readonly requestId: string | undefined }) {
  return (
    <Alert color="red" variant="light" title="You were not let in" role="alert">
      <Text size="sm">An administrator can look up why, under this request id:</Text>
      {requestId && <Code className="breakable">{requestId}</Code>}
    </Alert>
  )
}
