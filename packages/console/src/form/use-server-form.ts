import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form'
import { useState } from 'react'
import { CallFailed } from '../api/call-failed.ts'
import { changedValues } from './changed-values.ts'

interface ServerForm<Values extends Record<string, unknown>> {
  readonly form: UseFormReturnType<Values>
  /** What the server said that belongs to no field of the form. */
  readonly problem: unknown
  readonly isBusy: boolean
  readonly submit: (event?: React.FormEvent<HTMLFormElement>) => void
}

/**
 * A form whose values are judged here before they are sent, and whose refusals by the server are shown at their field.
 * `fieldOf` leads from the name that the server uses to that of the form, where they differ.
 */
export function useServerForm<Values extends Record<string, unknown>>(
  options: UseFormInput<Values> & {
    /** Is told what was changed, too, since the form was opened or last sent. */
    readonly send: (values: Values, changed: Partial<Values>) => Promise<void>
    readonly fieldOf?: Readonly<Record<string, string>>
  },
): ServerForm<Values> {
  const { send, fieldOf = {}, ...formOptions } = options
  const form = useForm<Values>({ mode: 'controlled', ...formOptions })
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)

  const focusField = (field: string) => focusSoon(() => form.getInputNode(field))

  const run = async (values: Values): Promise<void> => {
    setProblem(undefined)
    setBusy(true)
    try {
      await send(values, changedValues(form.getInitialValues(), values))
      form.setInitialValues(values)
    } catch (error) {
      const named = error instanceof CallFailed ? error.field : undefined
      const field = named === undefined ? undefined : (fieldOf[named] ?? named)
      if (error instanceof CallFailed && field !== undefined && Object.hasOwn(form.values, field)) {
        form.setFieldError(field, error.reason)
        focusField(field)
      } else setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  const focusFirst = (errors: Record<string, unknown>) => focusField(Object.keys(errors)[0] ?? '')
  const onSubmit = form.onSubmit((values) => void run(values), focusFirst)
  return { form, problem, isBusy, submit: onSubmit }
}

const MOST_FRAMES = 60

/** The field may be in a part of the form that is only about to open, because of its error. */
function focusSoon(find: () => HTMLElement | null, frames = MOST_FRAMES): void {
  requestAnimationFrame(() => {
    const node = find()
    node?.focus()
    if (document.activeElement !== node && frames > 0) focusSoon(find, frames - 1)
  })
}
