import { Alert, Button, Group, Loader, Modal, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isOutdated } from '../api/call-failed.ts'
import { errorSentence } from '../api/error-text.ts'
import { ErrorNote } from '../show/error-note.tsx'
import { type BulkAction, type BulkStep, fewAtATime } from './bulk-action.ts'

interface BulkDialogProps<Item> {
  readonly action: BulkAction<Item>
  readonly items: readonly Item[]
  readonly onClose: () => void
  /** Called when every row is done. */
  readonly onFinished: () => void
}

/** The result of a row: undefined while it waits. */
type Results = ReadonlyMap<string, { readonly isDone: boolean; readonly text: string }>

/** Shows what an action would do to each row, does it after a confirmation, and shows the result of each row. */
export function BulkDialog<Item>({ action, items, onClose, onFinished }: BulkDialogProps<Item>) {
  const { label, isDangerous, preview } = action
  const [opened] = useState(items)
  const [started, setStarted] = useState<'no' | 'running' | 'ended'>('no')
  const [results, setResults] = useState<Results>(new Map())
  const isStopped = useRef(false)
  const { data: steps, error } = useQuery({
    queryKey: ['bulk', label, opened],
    queryFn: () => preview(opened),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const runnable = steps?.filter(({ run }) => run !== undefined) ?? []
  const finished = [...results.values()]
  const failed = finished.filter(({ isDone }) => !isDone).length
  const close = () => {
    isStopped.current = true
    onClose()
    if (started === 'ended' && failed === 0) onFinished()
  }
  const runAll = async () => {
    setStarted('running')
    await fewAtATime(runnable, async ({ id, run }) => {
      if (isStopped.current) return
      const result = await resultOf(run)
      setResults((before) => new Map(before).set(id, result))
    })
    setStarted('ended')
  }
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={`${label} ${countOf(opened.length)}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        {error && <ErrorNote error={error} />}
        {!steps && !error && <Loader aria-label="Loading" size="sm" />}
        {steps && (
          <>
            {runnable.length < steps.length && (
              <Text size="sm">
                {runnable.length} of {steps.length} rows change.
              </Text>
            )}
            <ScrollArea.Autosize mah="50vh" type="auto" tabIndex={0} aria-label="What happens to each row">
              <StepTable steps={steps} results={results} />
            </ScrollArea.Autosize>
          </>
        )}
        {started !== 'no' && (
          <>
            <Progress
              value={runnable.length === 0 ? 100 : (100 * finished.length) / runnable.length}
              color={failed > 0 ? 'orange' : 'green'}
              aria-label="Progress"
            />
            <Alert color={failed > 0 ? 'orange' : 'green'} variant="light" aria-live="polite">
              {finished.length - failed} of {runnable.length} done
              {failed > 0 && `, ${failed} failed`}
              {started === 'ended' && finished.length < runnable.length && ', stopped'}.
            </Alert>
          </>
        )}
        <Group justify="end">
          {started === 'running' ? (
            <Button
              variant="default"
              onClick={() => {
                isStopped.current = true
              }}
            >
              Stop
            </Button>
          ) : (
            <Button variant="default" onClick={close}>
              {started === 'no' ? 'Cancel' : 'Close'}
            </Button>
          )}
          {started === 'no' && (
            <Button
              {...(isDangerous && { color: 'red' })}
              disabled={runnable.length === 0}
              onClick={() => void runAll()}
              data-autofocus
            >
              {label} {runnable.length}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

function StepTable({ steps, results }: { readonly steps: readonly BulkStep[]; readonly results: Results }) {
  return (
    <Table aria-label="Rows" layout="auto">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>What happens</Table.Th>
          {results.size > 0 && <Table.Th>Result</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {steps.map(({ id, name, effect, run }) => {
          const result = results.get(id)
          return (
            <Table.Tr key={id}>
              <Table.Td className="breakable">{name}</Table.Td>
              <Table.Td className="breakable">
                <Text size="sm" {...(!run && { c: 'dimmed' })}>
                  {effect}
                </Text>
              </Table.Td>
              {results.size > 0 && (
                <Table.Td className="breakable">
                  <Text size="sm" {...(result && !result.isDone && { c: 'var(--mantine-color-error)' })}>
                    {run ? (result?.text ?? 'Waiting') : '–'}
                  </Text>
                </Table.Td>
              )}
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}

function countOf(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`
}

async function resultOf(run: BulkStep['run']) {
  try {
    await run?.()
    return { isDone: true, text: 'Done' }
  } catch (error) {
    const text = isOutdated(error) ? 'Changed since the preview: not touched' : errorSentence(error)
    return { isDone: false, text }
  }
}
