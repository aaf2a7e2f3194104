import { type AuditEntry, quoteForFilter } from '@countersign/sdk'
import { Code, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { controller } from '../../api/client.ts'
import { CopyId } from '../../show/copy-id.tsx'
import { type Detail, Details, Section } from '../../show/details.tsx'
import { HistoryLink } from '../../show/history-link.tsx'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { objectKindLabel } from './object-kinds.ts'
import { findChanges } from './state-changes.ts'

const BACK = <PageLink to="/history">Change history</PageLink>

export function EntryPage() {
  const { id } = useParams({ from: '/shell/history/$id' })
  const query = useQuery({ queryKey: ['history', 'one', id], queryFn: () => loadEntry(id) })
  return (
    <Loaded query={query} back={BACK}>
      {(entry) => <EntryDetail entry={entry} />}
    </Loaded>
  )
}

async function loadEntry(id: string): Promise<AuditEntry> {
  const { items } = await controller.audit.entries.page({ filter: `id = ${quoteForFilter(id)}`, limit: 1 })
  if (!items[0]) throw new Error('There is no such entry. It may be older than the record is kept.')
  return items[0]
}

function EntryDetail({ entry }: { readonly entry: AuditEntry }) {
  const { action = 'another organization', objectId, objectName, objectKind, requestId } = entry
  return (
    <Stack>
      <PageHead title={action} description={objectName ?? objectId ?? undefined} back={BACK}>
        {objectId && <HistoryLink id={objectId} />}
      </PageHead>
      <Section title="Entry">
        <Details
          rows={[
            ['Time', <Instant key="at" at={entry.at} />],
            ['Actor', entry.actorName ?? entry.actorId],
            ['Actor id', entry.actorId],
            ['Address', entry.address],
            ['Object', objectName],
            ['Object id', objectId],
            ['Kind', objectKind && objectKindLabel(objectKind)],
            ['Change', entry.change],
            ['Request id', requestId && <CopyId key="request" id={requestId} of="the request" />],
            ...(requestId && isRefusal(entry) ? [decisionRow(requestId)] : []),
          ]}
        />
      </Section>
      <Changes entry={entry} />
      <Section title="Place in the record">
        <Details
          rows={[
            ['Node', entry.node],
            ['Sequence', entry.sequence],
            ['Hash', entry.hash],
            ['Hash of the entry before', entry.previousHash],
          ]}
        />
      </Section>
    </Stack>
  )
}

/** A refusal is recorded beside the changes, with what is known of it. */
function isRefusal({ action }: AuditEntry): boolean {
  return action?.endsWith('.refused') ?? false
}

function decisionRow(id: string): Detail {
  const link = (
    <PageLink key="decision" to="/decisions/$id" params={{ id }}>
      Why it was refused
    </PageLink>
  )
  return ['Decision', link]
}

function Changes({ entry }: { readonly entry: AuditEntry }) {
  const changes = findChanges(entry.before, entry.after)
  return (
    <Section title={isRefusal(entry) ? 'What was refused' : 'What changed'}>
      {changes.length === 0 ? (
        <Text c="dimmed">No member has another value.</Text>
      ) : (
        <Table className="card-rows" aria-label="Changed members">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Member</Table.Th>
              <Table.Th>Before</Table.Th>
              <Table.Th>After</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map(({ name, before: was, after: is }) => (
              <Table.Tr key={name}>
                <Table.Td className="first-cell breakable">{name}</Table.Td>
                <Table.Td className="breakable" data-label="Before">
                  {was === undefined ? '–' : <Code>{was}</Code>}
                </Table.Td>
                <Table.Td className="breakable" data-label="After">
                  {is === undefined ? '–' : <Code>{is}</Code>}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}
