import type { SignerChanges } from '@countersign/sdk'
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { useMay } from '../../api/use-may.ts'
import { ErrorNote } from '../../show/error-note.tsx'

interface AddTestCaseProps {
  readonly signerId: string | null
  readonly testCase: object | null | undefined
}

/** Adds the claims of a login or token to the test cases of its signer. Empty without a test case. */
export function AddTestCase({ signerId, testCase }: AddTestCaseProps) {
  const may = useMay()
  const [state, setState] = useState<'new' | 'busy' | 'added'>('new')
  const [error, setError] = useState<unknown>()
  if (!signerId || !testCase || !may('PATCH /ext-jwt-signers/:id')) return null
  const add = async (): Promise<void> => {
    setState('busy')
    setError(undefined)
    try {
      const { item, version } = await controller.signers.getVersioned(signerId)
      const testCases = [...item.testCases, testCase] as SignerChanges['testCases']
      await controller.signers.patch(signerId, { testCases }, { ifMatch: version })
      await queries.invalidateQueries({ queryKey: ['signers'] })
      setState('added')
    } catch (failure) {
      setError(failure)
      setState('new')
    }
  }
  return (
    <>
      <Group>
        <Button variant="default" loading={state === 'busy'} disabled={state === 'added'} onClick={() => void add()}>
          Add as test case
        </Button>
        {state === 'added' && <Text size="sm">Every save of the signer checks it from now on.</Text>}
      </Group>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  )
}
