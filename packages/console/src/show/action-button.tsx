import { Button, type ButtonProps } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import { CallFailed } from '../api/call-failed.ts'

interface ActionButtonProps extends Pick<ButtonProps, 'size' | 'variant'> {
  readonly children: ReactNode
  readonly label?: string
  readonly onAct: () => Promise<unknown>
  /** Notification on success. */
  readonly done?: string
}

/** A button that shows progress while its action runs, and a notification afterwards. */
export function ActionButton({ children, label, onAct, done, size = 'sm', variant = 'default' }: ActionButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const act = async () => {
    setBusy(true)
    try {
      await onAct()
      if (done) notifications.show({ message: done, color: 'green' })
    } catch (error) {
      notifications.show({ title: 'The request failed', message: reasonOf(error), color: 'red', autoClose: 10_000 })
    } finally {
      setBusy(false)
    }
  }
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

function reasonOf(error: unknown): string {
  return error instanceof CallFailed ? error.reason : String(error)
}
