import type { AuthPolicy } from '@countersign/sdk'
import { List } from '@mantine/core'
import { controller } from '../../api/client.ts'
import { ListPage } from '../../list/list-page.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { describePolicy } from './describe-policy.ts'
import { useSignerNames } from './use-signer-names.ts'

/** The authentication policies with a summary of each. */
export function PoliciesPage() {
  const { nameOf } = useSignerNames()
  return (
    <ListPage<AuthPolicy>
      title="Authentication policies"
      description="Which login methods an identity can use, and which second factor it needs."
      queryKey={['policies']}
      load={({ text: _, ...query }) => controller.authPolicies.page(query)}
      searchFields={['name']}
      columns={[
        {
          label: 'Name',
          sort: 'name',
          cell: ({ id, name }) => (
            <PageLink to="/policies/$id" params={{ id }}>
              {name}
            </PageLink>
          ),
        },
        { label: 'What it allows', cell: (policy) => <Sentences lines={describePolicy(policy, nameOf)} /> },
      ]}
      defaultSort="name asc"
      searchLabel="Search by name"
      emptyText="There are no policies."
      actions={<ButtonLink to="/policies/new">Add a policy</ButtonLink>}
    />
  )
}

export function Sentences({ lines }: { readonly lines: readonly string[] }) {
  return (
    <List size="sm" listStyleType="none">
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  )
}
