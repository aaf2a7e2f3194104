import type { Authenticator, Identity } from '@countersign/sdk'
import { Code, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { downloadText, safeFileName } from '../../show/download.ts'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { reloadIdentities } from './identity-query.ts'
import { PasswordButton } from './password-button.tsx'

/** The password and the certificate with which an identity signs in. */
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
            <Text c="dimmed">No password and no certificate. Tokens of signers need none.</Text>
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
          warning="Nobody signs in with it any more, and sessions that were made with it end."
          onConfirm={() => remove(id)}
          size="xs"
        />
      </Group>
    </Group>
  )
}

function Certificate({ authenticator, identity: { name } }: AuthenticatorProps) {
  const { id, fingerprint, createdAt, certPem, isExtendRequested } = authenticator
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={2}>
        <Group gap="xs">
          <Text size="sm">Certificate</Text>
          {isExtendRequested && <StateBadge color="orange">Renewal asked for</StateBadge>}
        </Group>
        <Code className="breakable">{fingerprint}</Code>
        <Text size="xs" c="dimmed">
          since <Instant at={createdAt} />
        </Text>
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
            onAct={() => controller.authenticators.requestExtend(id).then(reloadIdentities)}
            done="Its holder is asked to renew the certificate."
          >
            Ask for renewal
          </ActionButton>
        )}
        <ConfirmButton
          label="Revoke"
          name={`the certificate of ${name}`}
          warning="Nobody signs in with it any more, and sessions that were made with it end. The identity needs a new one-time token to get another."
          onConfirm={() => remove(id)}
          size="xs"
        />
      </Group>
    </Group>
  )
}
