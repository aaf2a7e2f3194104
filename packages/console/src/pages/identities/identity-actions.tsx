import type { Identity } from '@countersign/sdk'
import { useNavigate } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { ButtonLink } from '../../show/links.tsx'
import { DisableIdentity } from './disable-identity.tsx'
import { reloadIdentities } from './identity-query.ts'

export function IdentityActions({ identity: { id, name, disabled, isDefaultAdmin } }: { readonly identity: Identity }) {
  const navigate = useNavigate()
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
        <DisableIdentity id={id} name={name} />
      )}
      {!isDefaultAdmin && (
        <ConfirmButton
          label="Delete"
          name={name}
          warning="Its authenticators, enrollments and sessions are deleted too. This cannot be undone."
          onConfirm={remove}
        />
      )}
    </>
  )
}
