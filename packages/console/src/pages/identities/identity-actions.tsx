import type { Identity } from '@countersign/sdk'
import { useNavigate } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { ButtonLink } from '../../show/links.tsx'
import { May } from '../../show/may.tsx'
import { DisableIdentity } from './disable-identity.tsx'
import { reloadIdentities } from './identity-query.ts'

export function IdentityActions({ identity }: { readonly identity: Identity }) {
  const { id, name, disabled, isDefaultAdmin } = identity
  const navigate = useNavigate()
  const enable = () => controller.identities.enable(id).then(reloadIdentities)
  const remove = async () => {
    await controller.identities.delete(id)
    await navigate({ to: '/identities' })
    await reloadIdentities()
  }
  return (
    <>
      <May need="PATCH /identities/:id" over={identity}>
        <ButtonLink to="/identities/$id/edit" params={{ id }} variant="default">
          Edit
        </ButtonLink>
      </May>
      {disabled ? (
        <ActionButton need="POST /identities/:id/enable" over={identity} onAct={enable} done="The identity is enabled.">
          Enable
        </ActionButton>
      ) : (
        <DisableIdentity identity={identity} />
      )}
      {!isDefaultAdmin && (
        <ConfirmButton
          label="Delete"
          name={name}
          need="DELETE /identities/:id"
          over={identity}
          warning="Its authenticators, enrollments and sessions are deleted too. This cannot be undone."
          onConfirm={remove}
        />
      )}
    </>
  )
}
