import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Versioned } from '../../api/versioned.ts'
import type { Signer } from '../../api/wire.ts'
import { StateBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Details, Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'

/** Whether an administrator vouches for a signer, and who wrote it last. */
export function TrustSection({ signer }: { readonly signer: Versioned<Signer> }) {
  const { id, name, version } = signer
  const { state, writtenBy, writtenAt } = signer.trust
  const accept = async () => {
    await controller.signers.trust(id, { ifMatch: version })
    await queries.invalidateQueries({ queryKey: ['signers'] })
  }
  return (
    <Section title="Trust" aside={<TrustBadge state={state} />}>
      <Details
        rows={[
          ['Last written by', writtenBy?.name],
          ['Last written', <Instant key="at" at={writtenAt} />],
        ]}
      />
      {state === 'untrusted' && (
        <div>
          <ConfirmButton
            label="Trust"
            name={name}
            warning="Its tokens can then log in administrators and identities with permissions, and it offers sign-in in a browser. Check its issuer, keys and claims first."
            onConfirm={accept}
            done={`The signer “${name}” is trusted.`}
          />
        </div>
      )}
    </Section>
  )
}

export function TrustBadge({ state }: Pick<Signer['trust'], 'state'>) {
  const isTrusted = state === 'trusted'
  return <StateBadge color={isTrusted ? 'green' : 'orange'}>{isTrusted ? 'Trusted' : 'Untrusted'}</StateBadge>
}
