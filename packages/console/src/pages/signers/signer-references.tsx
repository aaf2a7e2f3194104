import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import type { Policy } from '../../api/wire.ts'
import { Section } from '../../show/details.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'

const MAX_POLICIES = 500

/** The policies that refer to a signer. */
function useReferences(signerId: string) {
  const may = useMay()
  return useQuery({
    queryKey: ['policies', 'referring', signerId],
    enabled: may('GET /auth-policies'),
    queryFn: async () => {
      const { items } = await controller.authPolicies.page({ limit: MAX_POLICIES, offset: 0, sort: 'name asc' })
      return items.filter(
        ({ primary, secondary }) =>
          primary.extJwt.allowedSigners.includes(signerId) || secondary.requireExtJwtSigner === signerId,
      )
    },
  })
}

export function PoliciesSection({ signerId }: { readonly signerId: string }) {
  const query = useReferences(signerId)
  const may = useMay()
  if (!may('GET /auth-policies')) return null
  return (
    <Section title="Referring policies">
      <Loaded query={query}>
        {(policies) =>
          policies.length === 0 ? (
            <Text c="dimmed">None. Policies that allow any signer accept its tokens.</Text>
          ) : (
            <PolicyList policies={policies} />
          )
        }
      </Loaded>
    </Section>
  )
}

export function DeleteWarning({ signerId }: { readonly signerId: string }) {
  const { data: policies = [] } = useReferences(signerId)
  if (policies.length === 0) return <>Logins with its tokens are refused. This cannot be undone.</>
  return (
    <>
      <Text size="sm" mb={4}>
        It cannot be deleted while policies refer to it. Remove it from these first:
      </Text>
      <PolicyList policies={policies} />
    </>
  )
}

function PolicyList({ policies }: { readonly policies: readonly Policy[] }) {
  return (
    <List size="sm" spacing={4}>
      {policies.map(({ id, name }) => (
        <List.Item key={id} className="breakable">
          <PageLink to="/policies/$id" params={{ id }} inherit>
            {name}
          </PageLink>
        </List.Item>
      ))}
    </List>
  )
}
