import type { Identity } from '@countersign/sdk'
import { useNavigate } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { ButtonLink } from '../../show/links.tsx'
import { reloadIdentities } from './identity-query.ts'

export function IdentityActions({ identity: { id, name, disabled, isDefaultAdmin } }: { readonly identity: Identity }) {
  const navigate = useNavigate()
  const disable = () => controller.identities.disable(id).then(reloadIdentities)
  const enable = () => controller.identities.enable(id).then(reloadIdentities)
  const remove = async () => {
    await controller.identities.delete(id)
    await navigate({ to: '/identities' })
    await reloadIdentities()
  }
  return (
    <>
      <ButtonLink to="/identities/$id/edit" params={{ id }} variant="default">
        Edit
      </ButtonLink>
      {disabled ? (
        <ActionButton onAct={enable} done="The identity is enabled.">
          Enable
        </ActionButton>
      ) : (
        <ConfirmButton
          label="Disable"
          name={name}
          warning="Its sessions end now, and it cannot sign in until somebody enables it."
          onConfirm={disable}
        />
      )}
      {!isDefaultAdmin && (
        <ConfirmButton
          label="Delete"
          name={name}
          warning="The identity goes with its authenticators, enrollments and sessions. This cannot be undone."
          onConfirm={remove}
        />
      )}
    </>
  )
}
