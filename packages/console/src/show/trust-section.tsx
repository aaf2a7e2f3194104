import type { Signer } from '@countersign/sdk'
import { StateBadge } from './badges.tsx'
import { ConfirmButton } from './confirm-button.tsx'
import { Details, Section } from './details.tsx'
import { Instant } from './instant.tsx'

interface TrustSectionProps {
  readonly name: string
  readonly trust: Signer['trust']
  /** What trusting it allows. */
  readonly warning: string
  readonly onTrust: () => Promise<void>
  readonly done: string
}

/** Whether an administrator vouches for an entity that logs identities in, and who wrote it last. */
export function TrustSection({ name, trust, warning, onTrust, done }: TrustSectionProps) {
  const { state, writtenBy, writtenAt } = trust
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
          <ConfirmButton label="Trust" name={name} warning={warning} onConfirm={onTrust} done={done} />
        </div>
      )}
    </Section>
  )
}

export function TrustBadge({ state }: Pick<Signer['trust'], 'state'>) {
  const isTrusted = state === 'trusted'
  return <StateBadge color={isTrusted ? 'green' : 'orange'}>{isTrusted ? 'Trusted' : 'Untrusted'}</StateBadge>
}
