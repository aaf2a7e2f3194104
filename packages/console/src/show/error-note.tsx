import { Alert, Button, Group, Text } from '@mantine/core'
import { CallFailed, isOutdated } from '../api/call-failed.ts'
import { errorDetails, errorSentence } from '../api/error-text.ts'

interface ErrorNoteProps {
  readonly error: unknown
  readonly title?: string
  readonly onRetry?: () => void
  readonly retryLabel?: string
}

/** Shows the server's error text with the request id, which is also in its log. */
export function ErrorNote({ error, title, onRetry, retryLabel = 'Try again' }: ErrorNoteProps) {
  const { heading, reason, requestId } = describe(error)
  return (
    <Alert color="red" variant="light" title={title ?? heading} role="alert" w="100%">
      <Text className="breakable" size="sm">
        {reason}
      </Text>
      {errorDetails(error).map((line) => (
        <Text key={line} className="breakable" size="sm" mt={4}>
          {line}
        </Text>
      ))}
      {requestId && (
        <Text size="xs" c="dimmed" className="breakable">
          Request {requestId}
        </Text>
      )}
      {onRetry && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            {retryLabel}
          </Button>
        </Group>
      )}
    </Alert>
  )
}

export function headingOf(error: unknown): string {
  return describe(error).heading
}

const OUTDATED = 'Nothing was saved. Reload to see the current version.'

function describe(error: unknown): { heading: string; reason: string; requestId?: string | undefined } {
  if (!(error instanceof CallFailed)) return { heading: 'Something went wrong', reason: String(error) }
  const { requestId, status } = error
  const reason = errorSentence(error)
  if (status === 0) return { heading: 'No response', reason: 'The controller does not respond.' }
  if (status === 401) return { heading: 'You may not do this', reason, requestId }
  if (status === 403) return { heading: 'You may not do this', reason, requestId }
  if (status === 404) return { heading: 'Not found', reason, requestId }
  if (isOutdated(error)) return { heading: 'Changed since you opened it', reason: OUTDATED, requestId }
  return { heading: 'The request failed', reason, requestId }
}
