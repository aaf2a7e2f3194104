import { Button, Group, Paper, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { isOutdated } from '../api/call-failed.ts'
import { ErrorNote } from '../show/error-note.tsx'

interface FormFrameProps {
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void
  readonly error: unknown
  readonly isBusy: boolean
  readonly submitLabel: string
  readonly children: ReactNode
}

/** A form with its submit button, and the refusal that belongs to no field. */
export function FormFrame({ onSubmit, error, isBusy, submitLabel, children }: FormFrameProps) {
  return (
    <Paper withBorder p="md" maw={720} component="form" onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        {children}
        {error !== undefined && (
          <ErrorNote error={error} {...(isOutdated(error) && { onRetry: reload, retryLabel: 'Reload' })} />
        )}
        <Group>
          <Button type="submit" loading={isBusy}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

const reload = (): void => window.location.reload()
