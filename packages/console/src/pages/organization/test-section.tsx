import type { AdministrationTest } from '@countersign/sdk'
import { Alert, List, Text } from '@mantine/core'
import { useState } from 'react'
import { hosted } from '../../api/client.ts'
import { ActionButton } from '../../show/action-button.tsx'
import { StateBadge } from '../../show/badges.tsx'
import { Section } from '../../show/details.tsx'

/** Tries the administration of a provider, and shows what is missing there. */
export function TestSection({ id }: { readonly id: string }) {
  const [result, setResult] = useState<AdministrationTest>()
  return (
    <Section
      title="Connection"
      aside={
        <ActionButton size="xs" onAct={async () => setResult(await hosted.providers.test(id))}>
          Test connection
        </ActionButton>
      }
    >
      <Text size="sm" c="dimmed">
        Tries the stored administration, and says which permission is missing at the provider.
      </Text>
      {result && <TestResult result={result} />}
    </Section>
  )
}

function TestResult({ result: { ok, checks } }: { readonly result: AdministrationTest }) {
  if (checks.length === 0) {
    return <Alert color="gray">There is nothing to test: clients of this provider are created by hand.</Alert>
  }
  return (
    <Alert
      color={ok ? 'green' : 'red'}
      title={ok ? 'The connection works' : 'The connection does not work'}
      role="status"
    >
      <List size="sm" spacing={4}>
        {checks.map(({ name, ok: isOk, message }) => (
          <List.Item key={name} className="breakable">
            <StateBadge color={isOk ? 'green' : 'red'}>{isOk ? 'OK' : 'Failed'}</StateBadge> {name}
            {isOk ? '' : `: ${message}`}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
