import { Button, type ButtonProps } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import { errorSentence } from '../api/error-text.ts'
import type { Need } from '../api/rights.ts'
import { type May, useMay } from '../api/use-may.ts'

interface ActionButtonProps extends Pick<ButtonProps, 'size' | 'variant'> {
  readonly children: ReactNode
  readonly label?: string
  /** The call that it makes; hidden from sessions that may not make it. */
  readonly need?: Need | undefined
  /** The identity that is changed. */
  readonly over?: Parameters<May>[1]
  readonly onAct: () => Promise<unknown>
  /** Notification on success. */
  readonly done?: string
}

/** A button that shows progress while its action runs, and a notification afterwards. */
export function ActionButton(props: ActionButtonProps) {
  const { children, label, need, over, onAct, done, size = 'sm', variant = 'default' } = props
  const may = useMay()
  const [isBusy, setBusy] = useState(false)
  const act = async () => {
    setBusy(true)
    try {
      await onAct()
      if (done) notifications.show({ message: done, color: 'green' })
    } catch (error) {
      notifications.show({
        title: 'The request failed',
        message: errorSentence(error),
        color: 'red',
        autoClose: 10_000,
      })
    } finally {
      setBusy(false)
    }
  }
  if (need && !may(need, over)) return null
  return (
    <Button
      size={size}
      variant={variant}
      loading={isBusy}
      onClick={() => void act()}
      {...(label && { 'aria-label': label })}
    >
      {children}
    </Button>
  )
}
