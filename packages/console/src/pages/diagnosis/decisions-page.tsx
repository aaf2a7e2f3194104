import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { controller } from '../../api/client.ts'
import type { Decision } from '../../api/wire.ts'
import type { CsvExport } from '../../list/csv.ts'
import { equalFilter } from '../../list/list-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import type { Column } from '../../list/list-table.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { DECISION_METHODS, methodLabel } from '../../show/describe-event.ts'
import { Ago } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { useSignerNames } from '../policies/use-signer-names.ts'
import { CreateForClaim, DecidedIdentity, DecidedSigner } from './decided-names.tsx'

const COLUMNS: readonly Column<Decision>[] = [
  {
    label: 'Request',
    cell: ({ id }) => (
      <PageLink to="/decisions/$id" params={{ id }}>
        {id}
      </PageLink>
    ),
  },
  { label: 'Time', sort: 'at', from: 'sm', cell: ({ at }) => <Ago at={at} /> },
  {
    label: 'Claimed identity',
    sort: 'claimedIdentity',
    from: 'sm',
    cell: (decision) => (
      <>
        {decision.claimedIdentity ?? '–'} <CreateForClaim decision={decision} />
      </>
    ),
  },
  { label: 'Identity', sort: 'identityName', from: 'md', cell: (decision) => <DecidedIdentity decision={decision} /> },
  { label: 'Signer', sort: 'signerName', from: 'md', cell: (decision) => <DecidedSigner decision={decision} /> },
  { label: 'Method', sort: 'method', from: 'md', cell: ({ method }) => methodLabel(method) },
  { label: 'Reason', sort: 'reason', cell: ({ reason }) => <StateBadge color="red">{reason}</StateBadge> },
  { label: 'Address', sort: 'remoteAddress', from: 'lg', cell: ({ remoteAddress }) => remoteAddress },
]

const CSV: CsvExport<Decision> = {
  fileName: 'decisions',
  columns: [
    ['id', ({ id }) => id],
    ['at', ({ at }) => at],
    ['reason', ({ reason }) => reason],
    ['method', ({ method }) => method],
    ['claimedIdentity', ({ claimedIdentity }) => claimedIdentity],
    ['identityId', ({ identityId }) => identityId],
    ['identityName', ({ identityName }) => identityName],
    ['signerId', ({ signerId }) => signerId],
    ['signerName', ({ signerName }) => signerName],
    ['remoteAddress', ({ remoteAddress }) => remoteAddress],
  ],
}

export function DecisionsPage() {
  const { signers } = useSignerNames()
  return (
    <ListPage<Decision>
      title="Decisions"
      description="Refused logins and enrollments of the last 24 hours. The id is the requestId of the response. A claimed identity is what the credential says."
      queryKey={['decisions']}
      load={({ text: _, ...query }) => controller.authDecisions.page(query)}
      columns={COLUMNS}
      defaultSort="at desc"
      searchLabel="Search identity, signer, reason or address"
      searchFields={['claimedIdentity', 'identityName', 'signerName', 'reason', 'remoteAddress', 'identityId']}
      filters={[
        equalFilter('method', 'Method', 'method', DECISION_METHODS),
        equalFilter(
          'signer',
          'Signer',
          'signerId',
          signers.map(({ id, name }) => ({ value: id, label: name })),
        ),
        equalFilter('reason', 'Reason', 'reason', REASONS),
      ]}
      csv={CSV}
      emptyText="No refusals in the last 24 hours."
      controls={<LookUp />}
      refetchMs={15_000}
    />
  )
}

/** The reasons that an administrator can do something about; the search finds the others. */
const REASONS = [
  'unknown-identity',
  'unknown-user',
  'wrong-password',
  'wrong-code',
  'disabled',
  'identity-expired',
  'not-allowed',
  'signer-not-allowed',
  'signer-not-trusted',
  'issuer-unknown',
  'audience-mismatch',
  'kid-unknown',
  'signature-invalid',
  'token-expired',
  'required-claim-unmet',
  'rule-refused',
  'rule-error',
  'keys-stale',
  'possession-missing',
  'proof-missing',
  'token-used',
  'certificate-unknown',
  'certificate-unnamed',
  'ca-not-trusted',
  'enroller-not-trusted',
  'passkey-unknown',
  'passkey-origin',
  'passkey-counter',
].map((value) => ({ value, label: value }))

function LookUp() {
  const navigate = useNavigate()
  const [id, setId] = useState('')
  const lookUp = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') void navigate({ to: '/decisions/$id', params: { id: id.trim() } })
  }
  return (
    <Group component="form" align="end" gap="xs" onSubmit={lookUp}>
      <TextInput
        label="Request id"
        value={id}
        maxLength={64}
        onChange={({ currentTarget }) => setId(currentTarget.value)}
      />
      <Button type="submit" variant="default">
        Look up
      </Button>
    </Group>
  )
}
