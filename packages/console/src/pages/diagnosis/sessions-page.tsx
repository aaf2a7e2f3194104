import { LOGIN_METHODS } from '@countersign/contract/authenticate'
import type { ApiSession, Identity } from '@countersign/sdk'
import { Text } from '@mantine/core'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { BulkAction } from '../../list/bulk-action.ts'
import type { CsvExport } from '../../list/csv.ts'
import { choiceFilter, datetime, equalFilter } from '../../list/list-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import type { Column } from '../../list/list-table.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { CopyId } from '../../show/copy-id.tsx'
import { methodLabel, toMethodChoice } from '../../show/describe-event.ts'
import { Ago } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'
import { useSignerNames } from '../policies/use-signer-names.ts'
import { describeSessionState, SessionState } from './session-state.tsx'

const HOUR_MS = 3_600_000

const STATE_FILTER = equalFilter('state', 'State', 'state', [
  { value: 'complete', label: 'Signed in' },
  { value: 'partial', label: 'Needs a further step' },
  { value: 'refused', label: 'No longer allowed' },
])

const EXPIRY_FILTER = choiceFilter('expiry', 'Expires', [
  { value: 'hour', label: 'Within an hour', filter: (now) => `expiresAt <= ${datetime(now + HOUR_MS)}` },
  { value: 'day', label: 'Within a day', filter: (now) => `expiresAt <= ${datetime(now + 24 * HOUR_MS)}` },
  { value: 'later', label: 'Later', filter: (now) => `expiresAt > ${datetime(now + 24 * HOUR_MS)}` },
])

const METHODS = LOGIN_METHODS.map(toMethodChoice)

const END: BulkAction<ApiSession> = {
  label: 'End',
  isDangerous: true,
  need: 'DELETE /api-sessions/:id',
  preview: async (sessions) =>
    sessions.map((session) => ({
      id: session.id,
      name: session.identity.name,
      effect: `The session from ${session.ipAddress} ends`,
      run: () => controller.apiSessions.delete(session.id),
    })),
}

const CSV: CsvExport<ApiSession> = {
  fileName: 'sessions',
  columns: [
    ['id', ({ id }) => id],
    ['identityId', ({ identityId }) => identityId],
    ['identityName', ({ identity }) => identity.name],
    ['method', ({ method }) => method],
    ['signerId', ({ signerId }) => signerId],
    ['client', ({ client }) => client],
    ['boundKey', ({ boundKey }) => boundKey],
    ['ipAddress', ({ ipAddress }) => ipAddress],
    ['state', ({ state }) => state],
    ['missing', ({ missing }) => missing?.join(' ')],
    ['createdAt', ({ createdAt }) => createdAt],
    ['lastActivityAt', ({ lastActivityAt }) => lastActivityAt],
    ['expiresAt', ({ expiresAt }) => expiresAt],
  ],
}

export function SessionsPage() {
  const { nameOf } = useSignerNames()
  return (
    <ListPage<ApiSession>
      title="API sessions"
      description="Current sessions of all identities. After a session is ended, its identity must sign in again."
      queryKey={['sessions']}
      load={({ text: _, ...query }) => controller.apiSessions.page(query)}
      searchFields={['identityName', 'ipAddress', 'client', 'id']}
      columns={columnsFor(nameOf)}
      defaultSort="createdAt desc"
      searchLabel="Search identity, address, client or id"
      filters={[STATE_FILTER, equalFilter('method', 'Login method', 'method', METHODS), EXPIRY_FILTER]}
      bulkActions={[END]}
      csv={CSV}
      emptyText="There are no sessions."
      refetchMs={15_000}
    />
  )
}

function columnsFor(signerName: (id: string) => string): readonly Column<ApiSession>[] {
  return [
    {
      label: 'Identity',
      sort: 'identityName',
      cell: ({ id: sessionId, identity: { id, name } }) => (
        <CopyId id={sessionId} of={`the session of ${name}`}>
          <PageLink to="/identities/$id" params={{ id }}>
            {name}
          </PageLink>
        </CopyId>
      ),
    },
    { label: 'State', cell: (session) => <SessionState session={session} /> },
    {
      label: 'Login method',
      sort: 'method',
      from: 'md',
      cell: ({ method = '', signerId, boundKey }) => (
        <>
          {`${methodLabel(method)}${signerId ? ` of ${signerName(signerId)}` : ''}`}
          {boundKey && (
            <Text
              span
              size="xs"
              c="dimmed"
              display="block"
              title={`Each call needs a DPoP proof of the key ${boundKey}`}
            >
              Bound to a key
            </Text>
          )}
        </>
      ),
    },
    {
      label: 'Client',
      sort: 'client',
      from: 'lg',
      cell: ({ client }) => <span title={client ?? ''}>{shortClient(client)}</span>,
    },
    { label: 'Address', sort: 'ipAddress', from: 'md', cell: ({ ipAddress }) => ipAddress },
    { label: 'Created', sort: 'createdAt', from: 'lg', cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      label: 'Last activity',
      sort: 'lastActivityAt',
      from: 'md',
      cell: ({ lastActivityAt }) => <Ago at={lastActivityAt} />,
    },
    { label: 'Expires', sort: 'expiresAt', from: 'md', cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
    { label: 'Actions', cell: (session) => <EndSession session={session} /> },
  ]
}

const MAX_CLIENT = 40

/** A browser's user agent is long; the tooltip has all of it. */
function shortClient(client: string | null | undefined): string {
  if (!client) return '–'
  return client.length > MAX_CLIENT ? `${client.slice(0, MAX_CLIENT)}…` : client
}

interface EndSessionProps {
  readonly session: ApiSession
  /** The identity of the session, where it is known. */
  readonly over?: Identity
}

export function EndSession({ session, over }: EndSessionProps) {
  const { id, identity } = session
  const end = async () => {
    await controller.apiSessions.delete(id)
    await queries.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <ConfirmButton
      label="End"
      name={`the session of ${identity.name}`}
      need="DELETE /api-sessions/:id"
      over={over}
      warning={`${describeSessionState(session)}. The next request with it is refused. The identity can sign in again.`}
      onConfirm={end}
      size="xs"
    />
  )
}
