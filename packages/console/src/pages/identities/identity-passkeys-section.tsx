import type { Identity } from '@countersign/sdk'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { identityPasskeysQuery, resetPasskey } from '../../api/passkeys.ts'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PasskeyLines } from '../../show/passkey-lines.tsx'
import { reloadIdentities } from './identity-query.ts'

/** The passkeys of an identity, with their removal for lost devices. */
export function IdentityPasskeysSection({ identity }: { readonly identity: Identity }) {
  const query = useQuery(identityPasskeysQuery(identity.id))
  return (
    <Section title="Passkeys">
      <Loaded query={query}>
        {(passkeys) =>
          passkeys.length === 0 ? (
            <Text c="dimmed" size="sm">
              None. Users add them themselves, in My account.
            </Text>
          ) : (
            <Stack component="ul" gap="sm" m={0} p={0} aria-label="Passkeys">
              {passkeys.map((passkey) => (
                <Group key={passkey.id} component="li" justify="space-between" gap="xs" className="plain-item">
                  <PasskeyLines passkey={passkey} />
                  <ConfirmButton
                    size="xs"
                    label="Remove"
                    name={`${passkey.name} of ${identity.name}`}
                    need="DELETE /identities/:id/passkeys/:passkeyId"
                    over={identity}
                    warning="Logins with it are refused, and sessions that it opened or completed end. If the policy requires a passkey, a new one is added after the next login."
                    onConfirm={() => resetPasskey(identity.id, passkey.id).then(reloadIdentities)}
                    done="The passkey is removed."
                  />
                </Group>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  )
}
