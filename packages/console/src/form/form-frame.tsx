import type { WhatIfChange } from '@countersign/sdk'
import { Button, Fieldset, Group, Paper, Stack } from '@mantine/core'
import { useLocation, useNavigate } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { isOutdated } from '../api/call-failed.ts'
import type { Need } from '../api/rights.ts'
import { useMay } from '../api/use-may.ts'
import { ErrorNote } from '../show/error-note.tsx'
import { usePreview } from './preview.tsx'
import { discardUnsaved } from './unsaved.ts'

interface FormFrameProps {
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void
  readonly error: unknown
  readonly isBusy: boolean
  readonly submitLabel: string
  /** What Cancel does. Default: it leads to the page above this one. */
  readonly onCancel?: () => void
  /** The call that it makes: without the permission the form only shows its values. */
  readonly need?: Need | undefined
  /** The change that saving would make. With it, the form has a preview. */
  readonly readChange?: () => WhatIfChange
  readonly children: ReactNode
}

/** A form with its buttons, and the refusal that belongs to no field. */
export function FormFrame(props: FormFrameProps) {
  const { onSubmit, error, isBusy, submitLabel, onCancel, need, readChange, children } = props
  const goUp = useGoUp()
  const may = useMay()
  const preview = usePreview(readChange)
  if (need && !may(need)) return <ShownValues>{children}</ShownValues>
  // What a save says counts, not what was predicted for earlier values.
  const save: FormFrameProps['onSubmit'] = (event) => {
    preview?.clear()
    onSubmit(event)
  }
  return (
    <Paper withBorder p="md" maw={720} component="form" onSubmit={save} noValidate>
      <Stack gap="md">
        {children}
        {error !== undefined && (
          <ErrorNote error={error} {...(isOutdated(error) && { onRetry: reload, retryLabel: 'Reload' })} />
        )}
        {preview?.result}
        <Group>
          <Button type="submit" loading={isBusy}>
            {submitLabel}
          </Button>
          {preview?.button}
          <Button variant="default" onClick={onCancel ?? goUp}>
            Cancel
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

const reload = (): void => {
  discardUnsaved()
  window.location.reload()
}

/** From `/signers/new` to `/signers`, from `/signers/1/edit` to `/signers/1`. */
function useGoUp(): () => void {
  const navigate = useNavigate()
  const path = useLocation({ select: ({ pathname }) => pathname })
  return () => void navigate({ to: path.slice(0, path.lastIndexOf('/')) || '/' })
}
