import type { Authenticator, Identity } from '@countersign/sdk'
import { Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { CertificateSummary } from '../../show/certificate-summary.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { downloadText, safeFileName } from '../../show/download.ts'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { reloadIdentities } from './identity-query.ts'
import { PasswordButton } from './password-button.tsx'

/** The password and certificates of an identity. */
export function AuthenticatorsSection({ identity }: { readonly identity: Identity }) {
  const query = useQuery({
    queryKey: ['identities', 'authenticators', identity.id],
    queryFn: () => controller.identities.authenticators(identity.id),
  })
  const hasPassword = query.data?.some(({ method }) => method === 'updb') ?? true
  return (
    <Section title="Authenticators" aside={!hasPassword && <PasswordButton identity={identity} />}>
      <Loaded query={query}>
        {(items) =>
          items.length === 0 ? (
            <Text c="dimmed">No password and no certificate. Login by token needs neither.</Text>
          ) : (
            <Table aria-label="Authenticators">
              <Table.Tbody>
                {items.map((one) => (
                  <Table.Tr key={one.id}>
                    <Table.Td>
                      {one.method === 'updb' ? (
                        <Password authenticator={one} identity={identity} />
                      ) : (
                        <Certificate authenticator={one} identity={identity} />
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </Section>
  )
}

interface AuthenticatorProps {
  readonly authenticator: Authenticator
  readonly identity: Identity
}

const remove = (id: string) => controller.authenticators.delete(id).then(reloadIdentities)

function Password({ authenticator, identity }: AuthenticatorProps) {
  const { id, username, createdAt } = authenticator
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={2} className="breakable">
        <Text size="sm">Password, user name {username}</Text>
        <Text size="xs" c="dimmed">
          since <Instant at={createdAt} />
        </Text>
      </Stack>
      <Group gap="xs">
        <PasswordButton identity={identity} authenticator={authenticator} />
        <ConfirmButton
          label="Delete"
          name={`the password of ${username}`}
          need="DELETE /authenticators/:id"
          over={identity}
          warning="Logins with it are refused, and sessions that were started with it end."
          onConfirm={() => remove(id)}
          size="xs"
        />
      </Group>
    </Group>
  )
}

function Certificate({ authenticator, identity }: AuthenticatorProps) {
  const { name } = identity
  const { id, certPem, isExtendRequested } = authenticator
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={2}>
        <Group gap="xs">
          <Text size="sm">Certificate</Text>
          {isExtendRequested && <StateBadge color="orange">Renewal requested</StateBadge>}
        </Group>
        <CertificateSummary authenticator={authenticator} />
      </Stack>
      <Group gap="xs">
        {certPem && (
          <ActionButton
            size="xs"
            onAct={async () => downloadText(safeFileName(name, 'pem'), certPem, 'application/x-pem-file')}
          >
            Download
          </ActionButton>
        )}
        {!isExtendRequested && (
          <ActionButton
            size="xs"
            need="POST /authenticators/:id/request-extend"
            over={identity}
            onAct={() => controller.authenticators.requestExtend(id).then(reloadIdentities)}
            done="The client is asked to renew the certificate."
          >
            Request renewal
          </ActionButton>
        )}
        <ConfirmButton
          label="Revoke"
          name={`the certificate of ${name}`}
          need="DELETE /authenticators/:id"
          over={identity}
          warning="Logins with it are refused, and sessions that were started with it end. A new certificate needs a new invitation."
          onConfirm={() => remove(id)}
          size="xs"
        />
      </Group>
    </Group>
  )
}
