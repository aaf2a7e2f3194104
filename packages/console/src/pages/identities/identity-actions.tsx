import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { IDENTITIES, one } from '../../api/paths.ts'
import type { Identity } from '../../api/wire.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { ButtonLink } from '../../show/links.tsx'
import { reloadIdentities } from './identity-query.ts'

export function IdentityActions({ identity: { id, name, disabled, isDefaultAdmin } }: { readonly identity: Identity }) {
  const navigate = useNavigate()
  const path = one(IDENTITIES, id)
  const disable = () => call('POST', `${path}/disable`, { durationMinutes: 0 }).then(reloadIdentities)
  const enable = () => call('POST', `${path}/enable`).then(reloadIdentities)
  const remove = async () => {
    await call('DELETE', path)
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
