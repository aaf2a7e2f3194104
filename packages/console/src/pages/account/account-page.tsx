import type { Identity } from '@countersign/sdk'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { currentIdentityQuery } from '../../api/session.ts'
import { Details, Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { CertificatesSection } from './certificates-section.tsx'
import { CodesSection } from './codes-section.tsx'
import { LoginsSection } from './logins-section.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { OwnSessionsSection } from './sessions-section.tsx'

/** The caller's own credentials, sessions and logins; for everyone. */
export function AccountPage() {
  const query = useQuery(currentIdentityQuery)
  return (
    <Stack>
      <PageHead title="My account" description="How you sign in, and where you are signed in." />
      <Loaded query={query}>
        {(identity) => (
          <>
            <ProfileSection identity={identity} />
            <PasswordSection identity={identity} />
            <CodesSection identity={identity} />
            <PasskeysSection />
            <CertificatesSection />
            <OwnSessionsSection />
            <LoginsSection />
          </>
        )}
      </Loaded>
    </Stack>
  )
}

function ProfileSection({ identity }: { readonly identity: Identity }) {
  const { id, name, externalId, authPolicy, isAdmin, permissions, lastLoginAt, expiresAt } = identity
  return (
    <Section title="Identity">
      <Details
        rows={[
          ['Name', name],
          ['Id', id],
          ['External id', externalId],
          ['Authentication policy', authPolicy.name],
          ['Permissions', isAdmin ? 'Administrator' : permissions?.join(', ') || 'none'],
          ['Last login', lastLoginAt ? <Instant key="login" at={lastLoginAt} /> : 'never'],
          ['Access until', expiresAt ? <Instant key="expires" at={expiresAt} /> : 'unlimited'],
        ]}
      />
    </Section>
  )
}
