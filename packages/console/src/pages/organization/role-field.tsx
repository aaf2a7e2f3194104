import { SHOWN_ROLES } from '@countersign/contract/account-roles'
import { Code, List, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { hosted } from '../../api/client.ts'
import type { Account } from '../../api/wire.ts'

const ROLES = SHOWN_ROLES.map(({ role, name }) => ({ value: role, label: name }))

interface RoleFieldProps {
  readonly value: Account['role']
  /** The properties of the input, from the form. */
  readonly input: object
}

/** The role of an account, with what it permits. */
export function RoleField({ value, input }: RoleFieldProps) {
  const { data = [] } = useQuery({ queryKey: ['roles'], queryFn: () => hosted.roles.all(), staleTime: Infinity })
  const shown = data.find(({ role }) => role === value)
  return (
    <Stack gap={6}>
      <Select label="Role" allowDeselect={false} data={ROLES} {...input} />
      {shown && (
        <>
          <Text size="sm" c="dimmed">
            It {shown.description}. It permits:
          </Text>
          <List size="sm" aria-label="Permissions of the role">
            <List.Item>
              at this API <Permissions names={shown.permissions} />
            </List.Item>
            <List.Item>
              in sessions of the network’s controller <Permissions names={shown.sessionPermissions} />
            </List.Item>
          </List>
        </>
      )}
    </Stack>
  )
}

function Permissions({ names }: { readonly names: readonly string[] }) {
  return <Code className="wrapped-code">{names.join(', ')}</Code>
}
