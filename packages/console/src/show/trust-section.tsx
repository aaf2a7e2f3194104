import type { Signer } from '@countersign/sdk'
import { useState } from 'react'
import type { Need } from '../api/rights.ts'
import { StateBadge } from './badges.tsx'
import { ConfirmButton } from './confirm-button.tsx'
import { Details, Section } from './details.tsx'
import { Instant } from './instant.tsx'

interface TrustSectionProps {
  readonly name: string
  readonly trust: Signer['trust']
  /** The version that the page shows. */
  readonly version: string | undefined
  /** The call that trusts it. */
  readonly need: Need
  /** What trusting it allows. */
  readonly warning: string
  /** Trusts the version that was shown when the dialog opened: the page may show a later one by now. */
  readonly onTrust: (reviewed: string | undefined) => Promise<void>
  readonly done: string
}

/** Whether an administrator vouches for an entity that logs identities in, and who wrote it last. */
export function TrustSection({ name, trust, version, warning, need, onTrust, done }: TrustSectionProps) {
  const { state, writtenBy, writtenAt } = trust
  const [reviewed, setReviewed] = useState(version)
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
            need={need}
            name={name}
            warning={warning}
            onOpen={() => setReviewed(version)}
            onConfirm={() => onTrust(reviewed)}
            done={done}
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
