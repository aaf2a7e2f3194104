import { Button, Fieldset, Group, Paper, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { isOutdated } from '../api/call-failed.ts'
import type { Need } from '../api/rights.ts'
import { useMay } from '../api/use-may.ts'
import { ErrorNote } from '../show/error-note.tsx'

interface FormFrameProps {
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void
  readonly error: unknown
  readonly isBusy: boolean
  readonly submitLabel: string
  /** The call that it makes: without the permission the form only shows its values. */
  readonly need?: Need | undefined
  readonly children: ReactNode
}

/** A form with its submit button, and the refusal that belongs to no field. */
export function FormFrame({ onSubmit, error, isBusy, submitLabel, need, children }: FormFrameProps) {
  const may = useMay()
  if (need && !may(need)) return <ShownValues>{children}</ShownValues>
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

function ShownValues({ children }: { readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md" maw={720}>
      <Fieldset variant="unstyled" disabled aria-label="Values" className="shown-values">
        <Stack gap="md">{children}</Stack>
      </Fieldset>
    </Paper>
  )
}

const reload = (): void => window.location.reload()
