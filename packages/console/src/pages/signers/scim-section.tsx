import { Alert, Code, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { useMay } from '../../api/use-may.ts'
import type { ScimToken, Signer } from '../../api/wire.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { ConfirmButton } from '../../show/confirm-button.tsx'
import { Details, Section } from '../../show/details.tsx'
import { Instant } from '../../show/instant.tsx'
import { Loaded } from '../../show/loaded.tsx'

const MAX_TOKENS = 2

const IDENTITY_ATTRIBUTES: Readonly<Record<Signer['scimIdentityAttribute'], string>> = {
  userName: 'the user name',
  externalId: 'the external id',
  email: 'the primary e-mail address',
}

/** Where the identity provider manages users and groups, and its tokens. Only administrators see the tokens. */
export function ScimSection({ signer }: { readonly signer: Signer }) {
  const { id } = signer
  const [made, setMade] = useState<ScimToken>()
  const may = useMay()
  const mayRead = may('GET /ext-jwt-signers/:id/scim-tokens')
  const query = useQuery({
    queryKey: ['signers', 'scim-tokens', id],
    queryFn: () => controller.signers.scimTokens(id),
    retry: false,
    enabled: mayRead,
  })
  const reload = () => queries.invalidateQueries({ queryKey: ['signers', 'scim-tokens', id] })
  const make = async () => {
    setMade(await controller.signers.createScimToken(id))
    await reload()
  }
  const remove = async (tokenId: string) => {
    await controller.signers.deleteScimToken(id, tokenId)
    if (made?.id === tokenId) setMade(undefined)
    await reload()
  }
  const canMake = query.data !== undefined && query.data.length < MAX_TOKENS
  return (
    <Section
      title="SCIM"
      aside={
        canMake && (
          <ActionButton
            size="xs"
            need="POST /ext-jwt-signers/:id/scim-tokens"
            onAct={make}
            done="The SCIM token is made."
          >
            Make a SCIM token
          </ActionButton>
        )
      }
    >
      <Details
        rows={[
          ['SCIM URL', signer.scimUrl],
          ['External id of an identity', IDENTITY_ATTRIBUTES[signer.scimIdentityAttribute]],
          ['Attribute of a group', signer.scimGroupAttributeTemplate],
        ]}
      />
      {made?.token && (
        <Alert color="blue" variant="light" title="The new token">
          <Stack gap="xs">
            <Text size="sm">Give it to the identity provider now. It is not shown again.</Text>
            <Code block className="breakable">
              {made.token}
            </Code>
            <Group>
              <ActionButton size="xs" onAct={async () => setMade(undefined)}>
                Hide
              </ActionButton>
            </Group>
          </Stack>
        </Alert>
      )}
      {mayRead && <Loaded query={query}>{(tokens) => <TokenTable tokens={tokens} onDelete={remove} />}</Loaded>}
    </Section>
  )
}

interface TokenTableProps {
  readonly tokens: readonly ScimToken[]
  readonly onDelete: (id: string) => Promise<void>
}

function TokenTable({ tokens, onDelete }: TokenTableProps) {
  if (tokens.length === 0) return <Text c="dimmed">There is no token: SCIM is off.</Text>
  return (
    <Table className="card-rows" aria-label="SCIM tokens">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Token</Table.Th>
          <Table.Th>Made</Table.Th>
          <Table.Th>By</Table.Th>
          <Table.Th aria-label="Actions" />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tokens.map(({ id, createdAt, createdBy }) => (
          <Table.Tr key={id}>
            <Table.Td className="breakable">{id}</Table.Td>
            <Table.Td data-label="Made">
              <Instant at={createdAt} />
            </Table.Td>
            <Table.Td className="breakable" data-label="By">
              {createdBy.name}
            </Table.Td>
            <Table.Td>
              <ConfirmButton
                size="xs"
                label="Delete"
                name={`the SCIM token ${id}`}
                need="DELETE /ext-jwt-signers/:id/scim-tokens/:tokenId"
                warning="The identity provider can no longer use it."
                onConfirm={() => onDelete(id)}
              />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
