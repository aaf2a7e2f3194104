import type { AuthPolicy } from '@countersign/sdk'
import { List } from '@mantine/core'
import { controller } from '../../api/client.ts'
import type { CsvExport } from '../../list/csv.ts'
import { ListPage } from '../../list/list-page.tsx'
import { CopyId } from '../../show/copy-id.tsx'
import { ButtonLink, PageLink } from '../../show/links.tsx'
import { describePolicy } from './describe-policy.ts'
import { useSignerNames } from './use-signer-names.ts'
import { POLICY_BULK_ACTIONS, UsedBy } from './used-by.tsx'

const CSV: CsvExport<AuthPolicy> = {
  fileName: 'policies',
  columns: [
    ['id', ({ id }) => id],
    ['name', ({ name }) => name],
    ['primary.cert.allowed', ({ primary }) => primary.cert.allowed],
    ['primary.updb.allowed', ({ primary }) => primary.updb.allowed],
    ['primary.extJwt.allowed', ({ primary }) => primary.extJwt.allowed],
    ['primary.passkey.allowed', ({ primary }) => primary.passkey.allowed],
    ['secondary.requireTotp', ({ secondary }) => secondary.requireTotp],
    ['secondary.requirePasskey', ({ secondary }) => secondary.requirePasskey],
    ['secondary.requireExtJwtSigner', ({ secondary }) => secondary.requireExtJwtSigner],
    ['createdAt', ({ createdAt }) => createdAt],
    ['updatedAt', ({ updatedAt }) => updatedAt],
  ],
}

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
            <CopyId id={id} of={name}>
              <PageLink to="/policies/$id" params={{ id }}>
                {name}
              </PageLink>
            </CopyId>
          ),
        },
        { label: 'Used by', cell: ({ id }) => <UsedBy id={id} /> },
        { label: 'What it allows', from: 'sm', cell: (policy) => <Sentences lines={describePolicy(policy, nameOf)} /> },
      ]}
      bulkActions={POLICY_BULK_ACTIONS}
      csv={CSV}
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
