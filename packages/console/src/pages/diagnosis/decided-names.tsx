import type { Decision } from '../../api/wire.ts'
import { PageLink } from '../../show/links.tsx'
import { May } from '../../show/may.tsx'
import { canCreateFor } from '../identities/identity-for-claim.ts'

interface DecisionProps {
  readonly decision: Decision
}

/** Decisions about the hosted API name accounts and providers of an organization in place of identities and signers. */
const HOSTED_METHOD = 'api-account'

/** The identity of a decision, with a link to it. It may have been deleted since. */
export function DecidedIdentity({ decision: { identityId, identityName, identity, method } }: DecisionProps) {
  if (identityId === null) return '–'
  const name = identityName ?? identity?.name ?? identityId
  if (method === HOSTED_METHOD) return name
  return (
    <PageLink to="/identities/$id" params={{ id: identityId }}>
      {name}
    </PageLink>
  )
}

/** The signer of a decision, with a link to it. */
export function DecidedSigner({ decision: { signerId, signerName, method } }: DecisionProps) {
  if (signerId === null) return '–'
  if (method === HOSTED_METHOD) return signerName ?? signerId
  return (
    <PageLink to="/signers/$id" params={{ id: signerId }}>
      {signerName ?? signerId}
    </PageLink>
  )
}

/** Opens the form for an identity that the refused login would have found. Only where the claim of the credential is proven. */
export function CreateForClaim({ decision }: DecisionProps) {
  if (!canCreateFor(decision)) return null
  return (
    <May need="POST /identities">
      <PageLink to="/identities/new" search={{ decision: decision.id }} size="sm">
        Create an identity for this claim
      </PageLink>
    </May>
  )
}
