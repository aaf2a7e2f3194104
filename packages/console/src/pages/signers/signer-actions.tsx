import { useNavigate } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Signer } from '../../api/wire.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { ButtonLink } from '../../show/links.tsx'
import { describeReferences, useReferences } from './signer-references.tsx'

export function SignerActions({ signer: { id, name, enabled, trust } }: { readonly signer: Signer }) {
  const navigate = useNavigate()
  const { data: policies = [] } = useReferences(id)
  const change = (action: () => Promise<unknown>) => async () => {
    await action()
    await queries.invalidateQueries({ queryKey: ['signers'] })
  }
  const remove = async () => {
    await controller.signers.delete(id)
    await navigate({ to: '/signers' })
    await queries.invalidateQueries({ queryKey: ['signers', 'list'] })
  }
  return (
    <>
      <ButtonLink to="/test-token" search={{ signer: id }} variant="default">
        Test a token
      </ButtonLink>
      <ButtonLink to="/signers/$id/edit" params={{ id }} variant="default">
        Edit
      </ButtonLink>
      {enabled ? (
        <ConfirmButton
          label="Disable"
          name={name}
          need="PATCH /ext-jwt-signers/:id"
          warning="Its tokens are refused, and clients no longer see it."
          onConfirm={change(() => controller.signers.patch(id, { enabled: false }))}
          done={`The signer “${name}” is disabled.`}
        />
      ) : (
        <ActionButton
          need={trust.state === 'trusted' ? 'POST /ext-jwt-signers/:id/trust' : 'PATCH /ext-jwt-signers/:id'}
          onAct={change(() => controller.signers.patch(id, { enabled: true }))}
          done="The signer is enabled."
        >
          Enable
        </ActionButton>
      )}
      <ConfirmButton
        label="Delete"
        name={name}
        need="DELETE /ext-jwt-signers/:id"
        warning="Logins with its tokens are refused. This cannot be undone."
        notPossible={describeReferences(policies)}
        onConfirm={remove}
        done={`The signer “${name}” is deleted.`}
      />
    </>
  )
}
