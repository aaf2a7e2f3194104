import type { Identity } from '@countersign/sdk'
import { Text } from '@mantine/core'
import { controller } from '../../api/client.ts'
import { StateBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Section } from '../../show/details.tsx'
import { reloadIdentities } from './identity-query.ts'

/** Whether an identity has one-time codes, and a way to start over for who has lost the device that makes them. */
export function OneTimeCodesSection({ identity: { id, name, isMfaEnabled } }: { readonly identity: Identity }) {
  return (
    <Section
      title="One-time codes"
      aside={
        isMfaEnabled ? (
          <ConfirmButton
            size="xs"
            label="Reset"
            name={`the one-time codes of ${name}`}
            warning="The codes of the app and the recovery codes are void from now on. Where the policy asks for codes, new ones are set up at the next sign-in."
            onConfirm={() => controller.identities.resetMfa(id).then(reloadIdentities)}
          />
        ) : (
          <StateBadge color="gray">Not set up</StateBadge>
        )
      }
    >
      <Text c="dimmed" size="sm">
        {isMfaEnabled
          ? 'Every sign-in asks for a code. Reset them for somebody who has lost the device and the recovery codes.'
          : 'People set them up themselves, with an authenticator app.'}
      </Text>
    </Section>
  )
}
