import type { Identity } from '@countersign/sdk'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { AccessBadge } from '../../show/badges.tsx'
import { CopyId } from '../../show/copy-id.tsx'
import { methodLabel } from '../../show/describe-event.ts'
import { Details, Section } from '../../show/details.tsx'
import { HistoryLink } from '../../show/history-link.tsx'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { TagList } from '../../show/tag-list.tsx'
import { useSignerNames } from '../policies/use-signer-names.ts'
import { AttributeList } from './attribute-list.tsx'
import { AuthenticatorsSection } from './authenticators-section.tsx'
import { EnrollmentSection } from './enrollment-section.tsx'
import { IdentityActions } from './identity-actions.tsx'
import { IdentityPasskeysSection } from './identity-passkeys-section.tsx'
import { identityQuery } from './identity-query.ts'
import { IdentitySessionsSection } from './identity-sessions-section.tsx'
import { OneTimeCodesSection } from './one-time-codes-section.tsx'

const BACK = <PageLink to="/identities">Identities</PageLink>

export function IdentityPage() {
  const { id } = useParams({ from: '/shell/identities/$id' })
  const query = useQuery(identityQuery(id))
  return (
    <Loaded query={query} back={BACK}>
      {(identity) => <IdentityDetail identity={identity} />}
    </Loaded>
  )
}

function IdentityDetail({ identity }: { readonly identity: Identity }) {
  const { id, authPolicy } = identity
  const { nameOf } = useSignerNames()
  return (
    <Stack>
      <PageHead title={identity.name} back={BACK}>
        <HistoryLink id={identity.id} />
        <IdentityActions identity={identity} />
      </PageHead>
      <Section title="Identity" aside={<AccessBadge {...identity} />}>
        <Details
          rows={[
            ['Id', <CopyId key="id" id={id} of={identity.name} />],
            ['External id', identity.externalId],
            ['Attributes', <AttributeList key="attributes" origins={identity.attributeOrigins} />],
            [
              'Authentication policy',
              <PageLink key="policy" to="/policies/$id" params={{ id: authPolicy.id }}>
                {authPolicy.name}
              </PageLink>,
            ],
            ['Linked signers', identity.linkedSigners.map(nameOf).join(', ')],
            ['Permissions', identity.isAdmin ? 'Administrator' : identity.permissions?.join(', ')],
            ['Tags', <TagList key="tags" tags={identity.tags} />],
            ['App data', <TagList key="data" tags={identity.appData} />],
            ['Created', <Instant key="created" at={identity.createdAt} />],
            ['Last login', <LastLogin key="login" {...identity} />],
            ['Access until', identity.expiresAt ? <Instant key="expires" at={identity.expiresAt} /> : 'unlimited'],
            ...(identity.disabledUntil
              ? ([['Disabled until', <Instant key="until" at={identity.disabledUntil} />]] as const)
              : []),
          ]}
        />
      </Section>
      <AuthenticatorsSection identity={identity} />
      <OneTimeCodesSection identity={identity} />
      <IdentityPasskeysSection identity={identity} />
      <EnrollmentSection identity={identity} />
      <IdentitySessionsSection identity={identity} />
    </Stack>
  )
}

function LastLogin({ lastLoginAt, lastLoginMethod }: Pick<Identity, 'lastLoginAt' | 'lastLoginMethod'>) {
  if (lastLoginAt === null) return 'never'
  return (
    <>
      <Instant at={lastLoginAt} /> ({methodLabel(lastLoginMethod ?? '')})
    </>
  )
}
