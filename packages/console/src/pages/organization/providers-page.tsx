import { hosted } from '../../api/client.ts'
import { loadAndPage } from '../../api/hosted-list.ts'
import type { Provider } from '../../api/wire.ts'
import { ListPage } from '../../list/list-page.tsx'
import { EnabledBadge } from '../../show/badges.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { PROVIDERS_CSV } from './organization-csv.ts'
import { KIND_LABELS } from './provider-kinds.ts'

export function ProvidersPage() {
  return (
    <ListPage<Provider>
      title="Identity providers"
      description="Where the API accounts of your organization get their access tokens."
      queryKey={['providers']}
      load={(request) => loadAndPage(hosted.providers, request)}
      columns={[
        {
          label: 'Name',
          sort: 'name',
          cell: ({ id, name }) => (
            <PageLink to="/organization/providers/$id" params={{ id }}>
              {name}
            </PageLink>
          ),
        },
        { label: 'Kind', sort: 'kind', from: 'sm', cell: ({ kind }) => KIND_LABELS[kind] ?? kind },
        { label: 'Issuer', sort: 'issuer', from: 'sm', cell: ({ issuer }) => issuer },
        { label: 'State', cell: ({ enabled }) => <EnabledBadge enabled={enabled} /> },
      ]}
      defaultSort="name asc"
      searchLabel="Search by name"
      csv={PROVIDERS_CSV}
      emptyText="There are no identity providers yet. API accounts need one."
      actions={<ButtonLink to="/organization/providers/new">Add a provider</ButtonLink>}
    />
  )
}
