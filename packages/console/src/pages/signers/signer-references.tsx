import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { useMay } from '../../api/use-may.ts'
import type { Policy } from '../../api/wire.ts'
import { Section } from '../../show/details.tsx'
import { PageLink } from '../../show/links.tsx'
import { Loaded } from '../../show/loaded.tsx'

/** The policies that refer to a signer. None without the permission to read policies. */
export function useReferences(signerId: string) {
  const may = useMay()
  return useQuery({
    queryKey: ['policies', 'referring', signerId],
    enabled: may('GET /auth-policies'),
    queryFn: async () => {
      const policies = await controller.authPolicies.all()
      const referring = policies.filter(
        ({ primary, secondary }) =>
          primary.extJwt.allowedSigners.includes(signerId) || secondary.requireExtJwtSigner === signerId,
      )
      return referring.toSorted((one, other) => one.name.localeCompare(other.name))
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

const MAX_NAMED = 3

/** Why a signer cannot be deleted; undefined when no policy refers to it. */
export function describeReferences(policies: readonly Pick<Policy, 'name'>[]): string | undefined {
  if (policies.length === 0) return undefined
  const named = policies.slice(0, MAX_NAMED).map(({ name }) => `“${name}”`)
  const more = policies.length - named.length
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return `It cannot be deleted while authentication policies refer to it: remove it from ${list} first.`
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
