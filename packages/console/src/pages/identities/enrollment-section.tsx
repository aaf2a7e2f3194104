import type { Enrollment, Identity } from '@countersign/sdk'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { downloadText, safeFileName } from '../../show/download.ts'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { QrCode } from '../../show/qr-code.tsx'
import { reloadIdentities } from './identity-query.ts'

const LIFETIME_MS = 3 * 60 * 60 * 1000
const OTT = 'ott'
const READ = 'GET /identities/:id/enrollments'

/** One-time tokens with which the identity gets its first credential, as file and QR code. */
export function EnrollmentSection({ identity }: { readonly identity: Identity }) {
  const may = useMay()
  const query = useQuery({
    queryKey: ['identities', 'enrollments', identity.id],
    queryFn: () => controller.identities.enrollments(identity.id),
    enabled: may(READ),
  })
  const create = () =>
    controller.enrollments
      .create({ method: OTT, identityId: identity.id, expiresAt: newExpiry().toISOString() })
      .then(reloadIdentities)
  if (!may(READ)) return null
  const hasOneTime = query.data?.some(({ method }) => method === OTT) ?? true
  return (
    <Section
      title="One-time enrollment"
      aside={
        !hasOneTime && (
          <ActionButton
            size="xs"
            need="POST /enrollments"
            over={identity}
            onAct={create}
            done="The one-time token is created."
          >
            Create a one-time token
          </ActionButton>
        )
      }
    >
      <Loaded query={query}>
        {(items) =>
          items.length === 0 ? (
            <Text c="dimmed">There is no one-time token.</Text>
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
  const { id, jwt, expiresAt, method, username } = enrollment
  const isExpired = Date.parse(expiresAt) <= Date.now()
  return (
    <Group align="start" gap="lg">
      {jwt && !isExpired && <QrCode text={jwt} label={`QR code to enroll ${identity.name}`} />}
      <Stack gap="xs" flex="1 1 14rem">
        <Text size="sm">{describeMethod(method, username)} It works once.</Text>
        <Group gap="xs">
          <Text size="sm">
            Until <Instant at={expiresAt} />
          </Text>
          {isExpired && <StateBadge color="red">Expired</StateBadge>}
        </Group>
        <Text size="sm" c="dimmed">
          {jwt
            ? `This token is a credential: anyone who has it can enroll as ${identity.name}.`
            : 'The token is shown only with the permission to create enrollments.'}
        </Text>
        <Group gap="xs">
          {jwt && !isExpired && (
            <ActionButton
              size="xs"
              variant="filled"
              onAct={async () => downloadText(safeFileName(identity.name, 'jwt'), jwt, 'application/jwt')}
            >
              Download
            </ActionButton>
          )}
          <ActionButton
            size="xs"
            need="POST /enrollments/:id/refresh"
            over={identity}
            onAct={() => controller.enrollments.refresh(id, newExpiry()).then(reloadIdentities)}
            done="The token is renewed; the old one no longer works."
          >
            Renew
          </ActionButton>
          <ConfirmButton
            size="xs"
            label="Delete"
            name={`the one-time token of ${identity.name}`}
            need="DELETE /enrollments/:id"
            over={identity}
            warning="It can no longer be used to enroll."
            onConfirm={() => controller.enrollments.delete(id).then(reloadIdentities)}
          />
        </Group>
      </Stack>
    </Group>
  )
}

function describeMethod(method: string, username: string | undefined): string {
  if (method === OTT) return 'Gives a certificate.'
  return method === 'ottca' ? 'Needs a certificate of a third-party CA.' : `Gives a password to ${username}.`
}

function newExpiry(): Date {
  return new Date(Date.now() + LIFETIME_MS)
}
