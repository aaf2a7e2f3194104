import type { Identity } from '@countersign/sdk'
import { Text } from '@mantine/core'
import { controller } from '../../api/client.ts'
import { StateBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { reloadIdentities } from './identity-query.ts'

/** Whether an identity has one-time codes, and a reset for lost devices. */
export function OneTimeCodesSection({ identity }: { readonly identity: Identity }) {
  const { id, name, isMfaEnabled } = identity
  return (
    <Section
      title="One-time codes"
      aside={
        isMfaEnabled ? (
          <ConfirmButton
            size="xs"
            label="Reset"
            name={`the one-time codes of ${name}`}
            need="DELETE /identities/:id/mfa"
            over={identity}
            warning="Codes of the app and recovery codes no longer work. If the policy requires codes, they are set up at the next login."
            onConfirm={() => controller.identities.resetMfa(id).then(reloadIdentities)}
          />
        ) : (
          <StateBadge color="gray">Not set up</StateBadge>
        )
      }
    >
      <Text c="dimmed" size="sm">
        {isMfaEnabled
          ? 'Every login needs a code. Reset them if the device and the recovery codes are lost.'
          : 'Users set them up themselves with an authenticator app.'}
      </Text>
    </Section>
  )
}
