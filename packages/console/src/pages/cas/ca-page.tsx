import { CA } from '@countersign/contract/ca'
import type { Ca } from '@countersign/sdk'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { Versioned } from '../../api/versioned.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Details, Section } from '../../show/details.tsx'
import { downloadText, safeFileName } from '../../show/download.ts'
import { HistoryLink } from '../../show/history-link.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { May } from '../../show/may.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { remainingRows } from '../../show/remaining-rows.ts'
import { TagList } from '../../show/tag-list.tsx'
import { TrustSection } from '../../show/trust-section.tsx'
import { caQuery } from './ca-query.ts'
import { VerifiedBadge } from './cas-page.tsx'
import { VerifySection } from './verify-section.tsx'

const BACK = <PageLink to="/cas">CAs</PageLink>

const SHOWN_EXPLICITLY = [
  ...['name', 'certPem', 'fingerprint', 'isVerified', 'verificationToken', 'isAuthEnabled', 'trust', 'tags'],
  ...['isAutoCaEnrollmentEnabled', 'isOttCaEnrollmentEnabled', 'identityRoles', 'identityNameFormat'],
  'externalIdClaim',
]

export function CaPage() {
  const { id } = useParams({ from: '/shell/cas/$id' })
  const query = useQuery(caQuery(id))
  return (
    <Loaded query={query} back={BACK}>
      {(ca) => <CaDetail ca={ca} />}
    </Loaded>
  )
}

function CaDetail({ ca }: { readonly ca: Versioned<Ca> }) {
  const { id, name, version } = ca
  const trust = async (reviewed: string | undefined) => {
    await controller.cas.trust(id, { ifMatch: reviewed })
    await queries.invalidateQueries({ queryKey: ['cas'] })
  }
  const yesOrNo = (value: boolean) => (value ? 'Yes' : 'No')
  return (
    <Stack>
      <PageHead title={name} back={BACK}>
        <HistoryLink id={id} />
        <CaActions ca={ca} />
      </PageHead>
      {!ca.isVerified && (
        <May need="POST /cas/:id/verify">
          <VerifySection ca={ca} />
        </May>
      )}
      <TrustSection
        name={name}
        trust={ca.trust}
        version={version}
        warning="Its certificates can then log in administrators and identities with permissions. Check its certificate and its claim first."
        need="POST /cas/:id/trust"
        onTrust={trust}
        done={`The CA “${name}” is trusted.`}
      />
      <Section title="Login" aside={<EnabledBadge enabled={ca.isAuthEnabled} />}>
        <Details
          members={CA.members}
          rows={[
            ['Fingerprint', ca.fingerprint],
            ['Verified', <VerifiedBadge key="verified" isVerified={ca.isVerified} />],
            ['Identity', describeClaim(ca.externalIdClaim)],
            ['Tags', <TagList key="tags" tags={ca.tags} />],
            ...remainingRows(CA.members, ca, SHOWN_EXPLICITLY),
          ]}
        />
      </Section>
      <Section title="Enrollment">
        <Details
          rows={[
            ['Unknown certificates enroll', yesOrNo(ca.isAutoCaEnrollmentEnabled)],
            ['One-time tokens', yesOrNo(ca.isOttCaEnrollmentEnabled)],
            ['Attributes', ca.identityRoles.join(', ')],
            ['Names', ca.identityNameFormat],
          ]}
        />
      </Section>
    </Stack>
  )
}

const PLACES = { COMMON_NAME: 'the common name', SAN_EMAIL: 'the e-mail addresses', SAN_URI: 'the URIs' }

function describeClaim(claim: Ca['externalIdClaim']): string {
  if (!claim) return 'the one that the certificate is recorded with'
  const { location, matcher, matcherCriteria, parser, parserCriteria, index } = claim
  const matching = matcher === 'ALL' ? '' : ` with the ${matcher.toLowerCase()} “${matcherCriteria}”`
  const split = parser === 'SPLIT' ? `, split by “${parserCriteria}”` : ''
  return `external id: part ${index + 1} of ${PLACES[location]}${matching}${split}`
}

function CaActions({ ca }: { readonly ca: Ca }) {
  const { id, name, isAutoCaEnrollmentEnabled } = ca
  const navigate = useNavigate()
  const remove = async () => {
    await controller.cas.delete(id)
    await navigate({ to: '/cas' })
    await queries.invalidateQueries({ queryKey: ['cas', 'list'] })
  }
  const download = async () => downloadText(safeFileName(name, 'jwt'), await controller.cas.jwt(id), 'application/jwt')
  return (
    <>
      <ButtonLink to="/cas/$id/edit" params={{ id }} variant="default">
        Edit
      </ButtonLink>
      {isAutoCaEnrollmentEnabled && (
        <ActionButton need="GET /cas/:id/jwt" onAct={download}>
          Download the JWT
        </ActionButton>
      )}
      <ConfirmButton
        label="Delete"
        name={name}
        need="DELETE /cas/:id"
        warning="Its certificates no longer log in, its sessions end, and its pending enrollments are deleted. Identities stay."
        onConfirm={remove}
        done={`The CA “${name}” is deleted.`}
      />
    </>
  )
}
