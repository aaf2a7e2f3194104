import { Table, Text } from '@mantine/core'
import { type DecodedToken, instantOfClaim } from './decode-token.ts'
import { Section } from './details.tsx'
import { Instant } from './instant.tsx'

/** The header and the claims of a token. */
export function DecodedTokenView({ token }: { readonly token: DecodedToken }) {
  return (
    <Section title="Decoded token">
      <Text size="sm" c="dimmed">
        Decoded in this browser, as it is. The checks below say whether it is valid.
      </Text>
      <Members title="Header" members={token.header} />
      <Members title="Claims" members={token.claims} />
    </Section>
  )
}

function Members({ title, members }: { readonly title: string; readonly members: Readonly<Record<string, unknown>> }) {
  return (
    <Table aria-label={title} layout="fixed" withTableBorder captionSide="top">
      <Table.Caption ta="left">{title}</Table.Caption>
      <Table.Tbody>
        {Object.entries(members).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w="30%" className="breakable">
              {name}
            </Table.Th>
            <Table.Td className="breakable">
              <Value name={name} value={value} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  const at = instantOfClaim(name, value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (!at) return <span className="wrapped-code">{text}</span>
  return (
    <>
      {text} (<Instant at={at} />)
    </>
  )
}
