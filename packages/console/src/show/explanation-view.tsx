import { separateWords } from '@countersign/contract/resource'
import { Alert, List, Stack, Table, Text } from '@mantine/core'
import type { Explanation } from '../api/wire.ts'
import { useSignerNames } from '../pages/policies/use-signer-names.ts'
import { StateBadge } from './badges.tsx'
import { Details, Section } from './details.tsx'
import { PageLink } from './links.tsx'

/** The explanation of a token: whether it is accepted, what is missing, and every check. */
export function ExplanationView({ explanation }: { readonly explanation: Explanation }) {
  const { signers, identity, policy, missing, hints } = explanation
  const { nameOf } = useSignerNames()
  const isAccepted = missing.length === 0
  return (
    <Stack>
      <Alert
        color={isAccepted ? 'green' : 'red'}
        variant="light"
        title={isAccepted ? 'Accepted' : 'Refused'}
        role="status"
      >
        {isAccepted ? 'Every check passed.' : <Missing items={missing} />}
      </Alert>
      {hints.length > 0 && (
        <Section title="What to do">
          <TextList items={hints} />
        </Section>
      )}
      {(identity || policy) && (
        <Section title="Identity and policy">
          <Details
            rows={[
              ['Identity', identity && <IdentityLink {...identity} />],
              ['State', identity && (identity.disabled ? 'Disabled' : identity.expired ? 'Expired' : 'Enabled')],
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
        <SignerChecks key={signer.signerId} signer={signer} name={nameOf(signer.signerId)} />
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

function Missing({ items }: { readonly items: readonly string[] }) {
  return (
    <>
      <Text size="sm" mb={4}>
        Missing:
      </Text>
      <TextList items={items} />
    </>
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

interface SignerChecksProps {
  readonly signer: Explanation['signers'][number]
  readonly name: string
}

function SignerChecks({ signer: { signerId, checks, reason }, name }: SignerChecksProps) {
  const isPassed = checks.every(({ pass }) => pass)
  return (
    <Section
      title={`Checks by “${name}”, step by step`}
      aside={<StateBadge color={isPassed ? 'green' : 'red'}>{isPassed ? 'passed' : (reason ?? 'failed')}</StateBadge>}
    >
      <Text size="sm">
        <PageLink to="/signers/$id" params={{ id: signerId }} className="breakable" inherit>
          Go to the signer
        </PageLink>
      </Text>
      <Table className="card-rows" aria-label={`Checks by the signer ${name}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Step</Table.Th>
            <Table.Th>Result</Table.Th>
            <Table.Th>Expected</Table.Th>
            <Table.Th>Received</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {checks.map(({ check, expected, received, pass }, index) => (
            <Table.Tr key={check}>
              <Table.Td className="first-cell">
                {index + 1}. {separateWords(check, ' ')}
              </Table.Td>
              <Table.Td data-label="Result">
                <StateBadge color={pass ? 'green' : 'red'}>{pass ? 'Passed' : 'Failed'}</StateBadge>
              </Table.Td>
              <Table.Td className="breakable" data-label="Expected">
                {valueText(expected)}
              </Table.Td>
              <Table.Td className="breakable" data-label="Received">
                {valueText(received)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
