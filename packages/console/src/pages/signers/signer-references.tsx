import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import type { Policy } from '../../api/wire.ts'
import { Section } from '../../show/details.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'

const MOST_LOOKED_AT = 500

/** The policies that name a signer. */
function useReferences(signerId: string) {
  return useQuery({
    queryKey: ['policies', 'naming', signerId],
    queryFn: async () => {
      const { items } = await controller.authPolicies.page({ limit: MOST_LOOKED_AT, offset: 0, sort: 'name asc' })
      return items.filter(
        ({ primary, secondary }) =>
          primary.extJwt.allowedSigners.includes(signerId) || secondary.requireExtJwtSigner === signerId,
      )
    },
  })
}

/** Part of a signer's page: who would miss it. */
export function PoliciesSection({ signerId }: { readonly signerId: string }) {
  const query = useReferences(signerId)
  return (
    <Section title="Policies that name it">
      <Loaded query={query}>
        {(policies) =>
          policies.length === 0 ? (
            <Text c="dimmed">None. It counts for those whose policy takes the tokens of any signer.</Text>
          ) : (
            <PolicyList policies={policies} />
          )
        }
      </Loaded>
    </Section>
  )
}

/** What to know before a signer is deleted. */
export function WhoRefers({ signerId }: { readonly signerId: string }) {
  const { data: policies = [] } = useReferences(signerId)
  if (policies.length === 0) return <>Nobody signs in with its tokens any more. This cannot be undone.</>
  return (
    <>
      <Text size="sm" mb={4}>
        It cannot be deleted while policies name it. Take it out of these first:
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
