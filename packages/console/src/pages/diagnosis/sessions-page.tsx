import type { ApiSession, Identity } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { ListPage } from '../../list/list-page.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'

export function SessionsPage() {
  return (
    <ListPage<ApiSession>
      title="API sessions"
      description="Current sessions of all identities. After a session is ended, its identity must sign in again."
      queryKey={['sessions']}
      load={({ text: _, ...query }) => controller.apiSessions.page(query)}
      searchFields={['ipAddress', 'id']}
      columns={[
        {
          label: 'Identity',
          cell: ({ identity: { id, name } }) => (
            <PageLink to="/identities/$id" params={{ id }}>
              {name}
            </PageLink>
          ),
        },
        { label: 'Address', sort: 'ipAddress', from: 'sm', cell: ({ ipAddress }) => ipAddress },
        { label: 'Created', sort: 'createdAt', from: 'md', cell: ({ createdAt }) => <Instant at={createdAt} /> },
        {
          label: 'Last activity',
          sort: 'lastActivityAt',
          from: 'sm',
          cell: ({ lastActivityAt }) => <Instant at={lastActivityAt} />,
        },
        { label: 'State', from: 'md', cell: (session) => <SessionState session={session} /> },
        { label: 'Actions', cell: (session) => <EndSession session={session} /> },
      ]}
      defaultSort="createdAt desc"
      searchLabel="Search address or session id"
      emptyText="There are no sessions."
      refetchMs={15_000}
    />
  )
}

/** Shows one-time codes only: a second token is sent with each request, so the session does not record it. */
function SessionState({ session: { isMfaRequired, isMfaComplete } }: { readonly session: ApiSession }) {
  const isComplete = isMfaComplete || !isMfaRequired
  return <StateBadge color={isComplete ? 'green' : 'orange'}>{isComplete ? 'Signed in' : 'Needs a code'}</StateBadge>
}

interface EndSessionProps {
  readonly session: ApiSession
  /** The identity of the session, where it is known. */
  readonly over?: Identity
}

export function EndSession({ session: { id, identity }, over }: EndSessionProps) {
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
      warning="The next request with it is refused. The identity can sign in again."
      onConfirm={end}
      size="xs"
    />
  )
}
