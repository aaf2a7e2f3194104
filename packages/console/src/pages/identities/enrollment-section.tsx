import type { Enrollment, Identity } from '@countersign/sdk'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import { StateBadge } from '../../show/badges.tsx'
import { Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { QrCode } from '../../show/qr-code.tsx'
import { EnrollmentActions } from '../enrollments/enrollment-actions.tsx'
import { isExpired, kindOf } from '../enrollments/enrollment-kinds.ts'
import { InviteButton } from '../enrollments/invite-button.tsx'

const READ = 'GET /identities/:id/enrollments'

/** Invitations with which the identity gets its first credential, as link, token, file and QR code. */
export function EnrollmentSection({ identity }: { readonly identity: Identity }) {
  const may = useMay()
  const query = useQuery({
    queryKey: ['identities', 'enrollments', identity.id],
    queryFn: () => controller.identities.enrollments(identity.id),
    enabled: may(READ),
  })
  if (!may(READ)) return null
  return (
    <Section title="Invitations" aside={query.data && <InviteButton identity={identity} existing={query.data} />}>
      <Loaded query={query}>
        {(items) =>
          items.length === 0 ? (
            <Text c="dimmed">There is no open invitation.</Text>
          ) : (
            <Stack>
              {items.map((enrollment) => (
                <OneEnrollment key={enrollment.id} enrollment={enrollment} identity={identity} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  )
}

function OneEnrollment({ enrollment, identity }: { readonly enrollment: Enrollment; readonly identity: Identity }) {
  const { jwt, expiresAt, method, username } = enrollment
  const hasExpired = isExpired(expiresAt, Date.now())
  return (
    <Group align="start" gap="lg" role="group" aria-label={`${kindOf(method)?.label} invitation`}>
      {jwt && !hasExpired && <QrCode text={jwt} label={`QR code to enroll ${identity.name}`} />}
      <Stack gap="xs" flex="1 1 14rem">
        <Text fw={600}>{kindOf(method)?.label}</Text>
        <Text size="sm" className="breakable">
          {kindOf(method)?.use} {username && `The user name is ${username}.`} It works once.
        </Text>
        <Group gap="xs">
          <Text size="sm">
            {hasExpired ? 'Until' : 'Valid until'} <Instant at={expiresAt} />
          </Text>
          {hasExpired && <StateBadge color="red">Expired</StateBadge>}
        </Group>
        <Text size="sm" c="dimmed">
          {jwt
            ? `Link and token are credentials: anyone who has one can enroll as ${identity.name}.`
            : 'The token is shown only with the permission to create enrollments.'}
        </Text>
        <EnrollmentActions enrollment={enrollment} over={identity} hasToken />
      </Stack>
    </Group>
  )
}
