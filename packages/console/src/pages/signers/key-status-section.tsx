import { Alert, List, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { KeyStatus, Signer } from '../../api/wire.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { Details, Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { keyHealth } from './key-health.ts'

/** The keys that verify a signer's tokens, with errors and warnings. */
export function KeyStatusSection({ signer, keyStatus }: { readonly signer: Signer; readonly keyStatus: KeyStatus }) {
  const health = keyHealth(signer, Date.now())
  const refresh = async () => {
    await controller.signers.refreshKeys(signer.id)
    await queries.invalidateQueries({ queryKey: ['signers'] })
  }
  return (
    <Section title="Keys" aside={<StateBadge color={health.color}>{health.label}</StateBadge>}>
      {keyStatus.lastError && (
        <Alert color="red" variant="light" title="The keys could not be fetched">
          <Text size="sm" className="breakable">
            {keyStatus.lastError}
          </Text>
        </Alert>
      )}
      {keyStatus.warnings.length > 0 && (
        <Alert color="yellow" variant="light" title="Warnings">
          <List size="sm" classNames={{ itemWrapper: 'breakable', itemLabel: 'breakable' }}>
            {keyStatus.warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <PendingKeys signer={signer} keyStatus={keyStatus} />
      {signer.certPem && <CertificateDetails signer={signer} />}
      {keyStatus.source === 'jwks' && <FetchDetails keyStatus={keyStatus} />}
      {keyStatus.source === 'pushed' && <PushDetails keyStatus={keyStatus} />}
      {keyStatus.keys.length === 0 && (
        <Text c="dimmed">There are no keys that can be used: all tokens of this signer are refused.</Text>
      )}
      <KeyTable title="Keys" keys={keyStatus.keys} action={(key) => <PinButton signer={signer} shownKey={key} />} />
      <KeyTable
        title="Ignored keys"
        keys={keyStatus.ignoredKeys ?? []}
        action={(key) => <PinButton signer={signer} shownKey={key} />}
      />
      {keyStatus.source === 'jwks' && (
        <div>
          <ActionButton need="POST /ext-jwt-signers/:id/refresh-keys" onAct={refresh} done="The keys were refreshed.">
            Refresh keys
          </ActionButton>
        </div>
      )}
    </Section>
  )
}

function CertificateDetails({ signer }: { readonly signer: Signer }) {
  return (
    <Details
      rows={[
        ['Common name', signer.commonName],
        ['Fingerprint', signer.fingerprint],
        ['Valid from', <Instant key="from" at={signer.notBefore} />],
        ['Valid until', <Instant key="until" at={signer.notAfter} />],
      ]}
    />
  )
}

function FetchDetails({ keyStatus }: { readonly keyStatus: KeyStatus }) {
  return (
    <Details
      rows={[
        ['Last fetched', <Instant key="last" at={keyStatus.lastSuccessAt} />],
        ['Next refresh', <Instant key="next" at={keyStatus.nextRefreshAt} />],
      ]}
    />
  )
}

function PushDetails({ keyStatus }: { readonly keyStatus: KeyStatus }) {
  return (
    <Details
      rows={[
        ['Last pushed', <Instant key="last" at={keyStatus.lastSuccessAt} />],
        ['Stale from', <Instant key="stale" at={keyStatus.staleAt ?? null} />],
      ]}
    />
  )
}

type ShownKey = KeyStatus['keys'][number]
type SignerProps = { readonly signer: Signer }

/** Fetched keys that share none with the earlier ones, which stay in use until these are confirmed. */
function PendingKeys({ signer, keyStatus }: SignerProps & { readonly keyStatus: KeyStatus }) {
  const pending = keyStatus.pendingKeys ?? []
  if (pending.length === 0) return null
  const confirm = async () => {
    await controller.signers.confirmKeys(signer.id, { thumbprints: pending.map(({ thumbprint }) => thumbprint) })
    await queries.invalidateQueries({ queryKey: ['signers'] })
  }
  return (
    <Alert color="orange" variant="light" title="New keys wait for a confirmation">
      <Stack gap="sm">
        <Text size="sm">
          They share no key with the earlier ones, which stay in use. Compare the thumbprints with the provider first.
        </Text>
        <KeyTable title="Keys that wait" keys={pending} />
        <div>
          <ActionButton
            need="POST /ext-jwt-signers/:id/confirm-keys"
            onAct={confirm}
            done="The new keys are in use."
            variant="filled"
          >
            Confirm these keys
          </ActionButton>
        </div>
      </Stack>
    </Alert>
  )
}

function PinButton({ signer, shownKey: { kid, thumbprint } }: SignerProps & { readonly shownKey: ShownKey }) {
  const pinned = signer.pinnedKeyThumbprints ?? []
  const isPinned = pinned.includes(thumbprint)
  const change = async () => {
    const others = pinned.filter((one) => one !== thumbprint)
    const pinnedKeyThumbprints = isPinned ? others : [...others, thumbprint]
    await controller.signers.patch(signer.id, { pinnedKeyThumbprints })
    await queries.invalidateQueries({ queryKey: ['signers'] })
  }
  return (
    <ActionButton
      size="xs"
      need="PATCH /ext-jwt-signers/:id"
      label={`${isPinned ? 'Unpin' : 'Pin'} the key ${kid}`}
      onAct={change}
      done={isPinned ? 'The key is no longer pinned.' : 'The key is pinned: keys that are not are ignored.'}
    >
      {isPinned ? 'Unpin' : 'Pin'}
    </ActionButton>
  )
}

interface KeyTableProps {
  readonly title: string
  readonly keys: readonly ShownKey[]
  readonly action?: (key: ShownKey) => ReactNode
}

function KeyTable({ title, keys, action }: KeyTableProps) {
  if (keys.length === 0) return null
  return (
    <Table captionSide="top" aria-label={title}>
      {title !== 'Keys' && <Table.Caption>{title}</Table.Caption>}
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Key</Table.Th>
          <Table.Th>Algorithm</Table.Th>
          {action && (
            <Table.Th>
              <VisuallyHidden>Action</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={`${key.kid} ${key.thumbprint}`}>
            <Table.Td className="breakable">
              {key.kid}
              {key.thumbprint !== key.kid && (
                <Text size="xs" c="dimmed">
                  Thumbprint {key.thumbprint}
                </Text>
              )}
            </Table.Td>
            <Table.Td>{key.alg}</Table.Td>
            {action && <Table.Td>{action(key)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
