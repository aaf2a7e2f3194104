import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Versioned } from '../../api/versioned.ts'
import type { Signer } from '../../api/wire.ts'
import { HistoryLink } from '../../show/history-link.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { TrustSection } from '../../show/trust-section.tsx'
import { KeyStatusSection } from './key-status-section.tsx'
import { ScimSection } from './scim-section.tsx'
import { SignerActions } from './signer-actions.tsx'
import { BrowserSection, EnrollSection, MessagesSection, TokensSection } from './signer-details.tsx'
import { signerQuery } from './signer-query.ts'
import { PoliciesSection } from './signer-references.tsx'

const BACK = <PageLink to="/signers">Signers</PageLink>

const POLL_MS = 10_000

export function SignerPage() {
  const { id } = useParams({ from: '/shell/signers/$id' })
  const query = useQuery({ ...signerQuery(id), refetchInterval: POLL_MS })
  return (
    <Loaded query={query} back={BACK}>
      {(signer) => <SignerDetail signer={signer} />}
    </Loaded>
  )
}

function SignerDetail({ signer }: { readonly signer: Versioned<Signer> }) {
  const trust = async (reviewed: string | undefined) => {
    await controller.signers.trust(signer.id, { ifMatch: reviewed })
    await queries.invalidateQueries({ queryKey: ['signers'] })
  }
  return (
    <Stack>
      <PageHead title={signer.name} back={BACK}>
        <HistoryLink id={signer.id} />
        <SignerActions signer={signer} />
      </PageHead>
      {signer.keyStatus && <KeyStatusSection signer={signer} keyStatus={signer.keyStatus} />}
      <TrustSection
        name={signer.name}
        trust={signer.trust}
        version={signer.version}
        warning="Its tokens can then log in administrators and identities with permissions, and it offers sign-in in a browser. Check its issuer, keys and claims first."
        need="POST /ext-jwt-signers/:id/trust"
        onTrust={trust}
        done={`The signer “${signer.name}” is trusted.`}
      />
      <TokensSection signer={signer} />
      <BrowserSection signer={signer} />
      <EnrollSection signer={signer} />
      <MessagesSection signer={signer} />
      <ScimSection signer={signer} />
      <PoliciesSection signerId={signer.id} />
    </Stack>
  )
}
