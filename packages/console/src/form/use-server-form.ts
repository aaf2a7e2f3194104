import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form'
import { useRef, useState } from 'react'
import { CallFailed } from '../api/call-failed.ts'
import { errorText } from '../api/error-text.ts'
import { changedValues } from './changed-values.ts'
import { useUnsaved } from './unsaved.ts'

interface ServerForm<Values extends Record<string, unknown>, Body extends object> {
  readonly form: UseFormReturnType<Values>
  /** The error that belongs to no field of the form. */
  readonly formError: unknown
  readonly isBusy: boolean
  readonly submit: (event?: React.FormEvent<HTMLFormElement>) => void
  /** What sending would send now, without validation. */
  readonly read: () => { readonly body: Body; readonly changed: Partial<Body> }
}

/**
 * A form that validates before sending and shows the server's refusals at their field.
 * `fieldOf` maps the server's field names to those of the form, where they differ.
 */
export function useServerForm<Values extends Record<string, unknown>, Body extends object = Values>(
  options: UseFormInput<Values> & {
    /** The request body for form values. Default: the values themselves. Has the same members for all values. */
    readonly toBody?: (values: Values) => Body
    /** `changed` holds the members of the body that were changed since the form was opened or last sent. */
    readonly send: (body: Body, changed: Partial<Body>) => Promise<void>
    readonly fieldOf?: Readonly<Record<string, string>>
    /** False for a form whose values are not kept anywhere: leaving it loses nothing. */
    readonly asksBeforeLeaving?: boolean
    /** Whether the form is empty again after it was sent. */
    readonly isClearedBySending?: boolean
  },
): ServerForm<Values, Body> {
  const {
    toBody = asBody<Values, Body>,
    send,
    fieldOf = {},
    asksBeforeLeaving = true,
    isClearedBySending = false,
    ...formOptions
  } = options
  const form = useForm<Values>({ mode: 'controlled', ...formOptions })
  const [formError, setFormError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  // Sending leads to another page before it ends.
  const isSending = useRef(false)
  useUnsaved(() => asksBeforeLeaving && !isSending.current && form.isDirty())

  const focusField = (field: string) => focusSoon(() => form.getInputNode(field))

  const run = async (values: Values): Promise<void> => {
    setFormError(undefined)
    setBusy(true)
    isSending.current = true
    try {
      const body = toBody(values)
      await send(body, changedValues(toBody(form.getInitialValues()), body))
      if (isClearedBySending) form.reset()
      else {
        form.setInitialValues(values)
        form.resetDirty(values)
      }
    } catch (error) {
      // An element of a list is refused at the field of the list.
      const serverField = error instanceof CallFailed ? error.field?.replace(/\[\d+\]$/, '') : undefined
      const field =
        serverField === undefined ? undefined : (fieldOf[serverField] ?? FIELD_OF[serverField] ?? serverField)
      if (error instanceof CallFailed && field !== undefined && Object.hasOwn(form.values, field)) {
        form.setFieldError(field, errorText(error))
        focusField(field)
      } else setFormError(error)
    } finally {
      setBusy(false)
      isSending.current = false
    }
  }

  const focusFirst = (errors: Record<string, unknown>) => focusField(Object.keys(errors)[0] ?? '')
  const onSubmit = form.onSubmit((values) => void run(values), focusFirst)
  const read = () => {
    const body = toBody(form.getValues())
    return { body, changed: changedValues(toBody(form.getInitialValues()), body) }
  }
  return { form, formError, isBusy, submit: onSubmit, read }
}

/** Fields that refusals call by another name than bodies do. */
const FIELD_OF: Readonly<Record<string, string>> = { updbUsername: 'username' }

/** `Body` is `Values` without a `toBody`. */
const asBody = <Values, Body>(values: Values): Body => values as unknown as Body

const MAX_FRAMES = 60

/** Retries for some frames: the error may first have to open the section that contains the field. */
function focusSoon(find: () => HTMLElement | null, frames = MAX_FRAMES): void {
  requestAnimationFrame(() => {
    const node = find()
    node?.focus()
    if (document.activeElement !== node && frames > 0) focusSoon(find, frames - 1)
  })
}
