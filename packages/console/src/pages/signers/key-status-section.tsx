import { Alert, List, Table, Text } from '@mantine/core'
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
          <List size="sm">
            {keyStatus.warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {signer.certPem ? <CertificateDetails signer={signer} /> : <FetchDetails keyStatus={keyStatus} />}
      <KeyTable keyStatus={keyStatus} />
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

function KeyTable({ keyStatus: { keys } }: { readonly keyStatus: KeyStatus }) {
  if (keys.length === 0) return <Text c="dimmed">There are no keys: all tokens of this signer are refused.</Text>
  return (
    <Table aria-label="Keys">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Key id</Table.Th>
          <Table.Th>Algorithm</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map(({ kid, alg, thumbprint }) => (
          <Table.Tr key={thumbprint}>
            <Table.Td className="breakable">{kid}</Table.Td>
            <Table.Td>{alg}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
