import { Alert, List, Stack, Table, Text } from '@mantine/core'
import type { Explanation } from '../api/wire.ts'
import { StateBadge } from './badges.tsx'
import { Details, Section } from './details.tsx'
import { PageLink } from './links.tsx'

/** The verdict about a token: whether it works, what is in the way, and every check that was made. */
export function ExplanationView({ explanation }: { readonly explanation: Explanation }) {
  const { signers, identity, policy, missing, hints } = explanation
  const works = missing.length === 0
  return (
    <Stack>
      <Alert
        color={works ? 'green' : 'red'}
        variant="light"
        title={works ? 'This works' : 'This is refused'}
        role="status"
      >
        {works ? 'Everything is there: with this somebody is let in.' : <TextList items={missing} />}
      </Alert>
      {hints.length > 0 && (
        <Section title="What to do">
          <TextList items={hints} />
        </Section>
      )}
      {(identity || policy) && (
        <Section title="Who it leads to">
          <Details
            rows={[
              ['Identity', identity && <IdentityLink {...identity} />],
              ['State', identity && (identity.disabled ? 'Disabled' : 'Enabled')],
              [
                'Policy',
                policy && (
                  <PageLink to="/policies/$id" params={{ id: policy.id }}>
                    {policy.name}
                  </PageLink>
                ),
              ],
            ]}
          />
        </Section>
      )}
      {signers.map((signer) => (
        <SignerChecks key={signer.signerId} signer={signer} />
      ))}
    </Stack>
  )
}

function IdentityLink({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <PageLink to="/identities/$id" params={{ id }}>
      {name}
    </PageLink>
  )
}

function TextList({ items }: { readonly items: readonly string[] }) {
  return (
    <List size="sm" spacing={4}>
      {items.map((item) => (
        <List.Item key={item} className="breakable">
          {item}
        </List.Item>
      ))}
    </List>
  )
}

function SignerChecks({ signer: { signerId, checks, reason } }: { readonly signer: Explanation['signers'][number] }) {
  return (
    <Section
      title="Checks, step by step"
      aside={<StateBadge color={reason === null ? 'green' : 'red'}>{reason ?? 'passed'}</StateBadge>}
    >
      <Text size="sm">
        By the signer{' '}
        <PageLink to="/signers/$id" params={{ id: signerId }} className="breakable">
          {signerId}
        </PageLink>
      </Text>
      <Table.ScrollContainer minWidth={480} type="native" tabIndex={0} aria-label="Checks" role="region">
        <Table aria-label={`Checks by the signer ${signerId}`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Check</Table.Th>
              <Table.Th>Expected</Table.Th>
              <Table.Th>Received</Table.Th>
              <Table.Th>Result</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {checks.map(({ check, expected, received, pass }) => (
              <Table.Tr key={check}>
                <Table.Td>{check}</Table.Td>
                <Table.Td className="breakable">{valueText(expected)}</Table.Td>
                <Table.Td className="breakable">{valueText(received)}</Table.Td>
                <Table.Td>
                  <StateBadge color={pass ? 'green' : 'red'}>{pass ? 'Passed' : 'Failed'}</StateBadge>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  )
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
