import type { ButtonProps } from '@mantine/core'
import { hosted } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Account } from '../../api/wire.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { RotateButton } from './rotate-button.tsx'

interface AccountActionsProps {
  readonly account: Account
  readonly size?: NonNullable<ButtonProps['size']>
  readonly onChanged?: () => void
  readonly onDeleted?: () => Promise<unknown>
}

/** Rotate, disable or enable, and delete. */
export function AccountActions({ account, size = 'sm', onChanged, onDeleted }: AccountActionsProps) {
  const { id, name, active } = account
  const reload = () => queries.invalidateQueries({ queryKey: ['accounts'] })
  const setActive = async (next: boolean) => {
    await hosted.accounts.update(id, { active: next })
    onChanged?.()
    await reload()
  }
  const remove = async () => {
    await hosted.accounts.delete(id)
    await onDeleted?.()
    await queries.invalidateQueries({ queryKey: ['accounts', 'list'] })
  }
  return (
    <>
      {account.kind === 'client' && (
        <RotateButton account={account} size={size} {...(onChanged && { onRotated: onChanged })} />
      )}
      {active ? (
        <ConfirmButton
          size={size}
          label="Disable"
          name={name}
          warning="Its requests are refused, whatever token it has."
          onConfirm={() => setActive(false)}
          done={`The account “${name}” is disabled.`}
        />
      ) : (
        <ActionButton
          size={size}
          label={`Enable ${name}`}
          onAct={() => setActive(true)}
          done={`The account “${name}” is enabled.`}
        >
          Enable
        </ActionButton>
      )}
      <ConfirmButton
        size={size}
        label="Delete"
        name={name}
        warning="Its requests are refused, and its client is deleted at the provider. This cannot be undone."
        onConfirm={remove}
        done={`The account “${name}” is deleted.`}
      />
    </>
  )
}
