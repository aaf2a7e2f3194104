import type { Enrollment } from '@countersign/sdk'
import { Button, CopyButton, Group } from '@mantine/core'
import { controller } from '../../api/client.ts'
import type { May } from '../../api/use-may.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { downloadText, safeFileName } from '../../show/download.ts'
import { isExpired } from './enrollment-kinds.ts'
import { ExpiryFields, useExpiry } from './expiry-fields.tsx'
import { invitationLink } from './invitation-link.ts'
import { reloadEnrollments } from './reload-enrollments.ts'

interface EnrollmentActionsProps {
  readonly enrollment: Enrollment
  /** The identity, where its rights are known. */
  readonly over?: Parameters<May>[1]
  /** Whether to offer the token itself, and not only the link. */
  readonly hasToken?: boolean
}

/** Copies, renews and revokes an enrollment. */
export function EnrollmentActions({ enrollment, over, hasToken = false }: EnrollmentActionsProps) {
  const { id, jwt, expiresAt, identity } = enrollment
  const { chosen, setChosen, read, reset } = useExpiry()
  const name = `the invitation of ${identity.name}`
  const isOpen = jwt !== undefined && !isExpired(expiresAt, Date.now())
  const renew = async () => {
    await controller.enrollments.refresh(id, read() ?? new Date())
    await reloadEnrollments()
  }
  const revoke = async () => {
    await controller.enrollments.delete(id)
    await reloadEnrollments()
  }
  return (
    <Group gap="xs">
      {isOpen && (
        <Copy text={invitationLink(window.location.origin, jwt)} label="Copy link" name={identity.name} isFilled />
      )}
      {isOpen && hasToken && <Copy text={jwt} label="Copy token" name={identity.name} />}
      {isOpen && hasToken && (
        <ActionButton
          size="xs"
          onAct={async () => downloadText(safeFileName(identity.name, 'jwt'), jwt, 'application/jwt')}
        >
          Download
        </ActionButton>
      )}
      <ConfirmButton
        size="xs"
        label="Renew"
        name={name}
        need="POST /enrollments/:id/refresh"
        over={over}
        isDangerous={false}
        warning="It gets a new token and a new link. The old ones no longer work."
        onOpen={reset}
        isReady={read() !== undefined}
        onConfirm={renew}
        done="The invitation is renewed."
      >
        <ExpiryFields chosen={chosen} onChange={setChosen} />
      </ConfirmButton>
      <ConfirmButton
        size="xs"
        label="Revoke"
        name={name}
        need="DELETE /enrollments/:id"
        over={over}
        warning="Its token and its link can no longer be used."
        onConfirm={revoke}
        done="The invitation is revoked."
      />
    </Group>
  )
}

interface CopyProps {
  readonly text: string
  readonly label: string
  /** The name of the identity, for screen readers. */
  readonly name: string
  readonly isFilled?: boolean
}

function Copy({ text, label, name, isFilled = false }: CopyProps) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          size="xs"
          variant={isFilled ? 'filled' : 'default'}
          onClick={copy}
          aria-label={copied ? `Copied the ${label.replace('Copy ', '')} of ${name}` : `${label} of ${name}`}
        >
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  )
}
