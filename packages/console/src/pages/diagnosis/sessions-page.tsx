import type { ApiSession } from '@countersign/sdk'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { searchFilter } from '../../api/search-filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Instant } from '../../show/instant.tsx'
import { PageLink } from '../../show/links.tsx'

/** Everybody's sessions. */
export function SessionsPage() {
  return (
    <ListPage<ApiSession>
      title="API sessions"
      description="Who is signed in now. Whoever's session is ended has to sign in again."
      queryKey={['sessions']}
      load={({ text, ...query }) =>
        controller.apiSessions.page({ ...query, filter: searchFilter(['ipAddress', 'id'], text) })
      }
      columns={[
        {
          label: 'Identity',
          cell: ({ identity: { id, name } }) => (
            <PageLink to="/identities/$id" params={{ id }}>
              {name}
            </PageLink>
          ),
        },
        { label: 'From', sort: 'ipAddress', from: 'sm', cell: ({ ipAddress }) => ipAddress },
        { label: 'Since', sort: 'createdAt', from: 'md', cell: ({ createdAt }) => <Instant at={createdAt} /> },
        {
          label: 'Last used',
          sort: 'lastActivityAt',
          from: 'sm',
          cell: ({ lastActivityAt }) => <Instant at={lastActivityAt} />,
        },
        { label: 'State', from: 'md', cell: (session) => <SessionState session={session} /> },
        { label: 'End it', cell: (session) => <EndSession session={session} /> },
      ]}
      defaultSort="createdAt desc"
      searchLabel="Search address or session id"
      emptyText="Nobody is signed in."
      refetchMs={15_000}
    />
  )
}

/** Whether a second token is sent with each call is not known of a session; whether a code was given is. */
function SessionState({ session: { isMfaRequired, isMfaComplete } }: { readonly session: ApiSession }) {
  const isWhole = isMfaComplete || !isMfaRequired
  return <StateBadge color={isWhole ? 'green' : 'orange'}>{isWhole ? 'Signed in' : 'Waits for a code'}</StateBadge>
}

export function EndSession({ session: { id, identity } }: { readonly session: ApiSession }) {
  const end = async () => {
    await controller.apiSessions.delete(id)
    await queries.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <ConfirmButton
      label="End"
      name={`the session of ${identity.name}`}
      warning="The next call with it is refused. Whoever may sign in can do so again."
      onConfirm={end}
      size="xs"
    />
  )
}
