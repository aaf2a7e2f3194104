import { Button, Group, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { ActionButton } from '../show/action-button.tsx'
import type { BulkAction } from './bulk-action.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { MAX_SELECTED, type Selection } from './use-selection.ts'

interface BulkBarProps<Item> {
  readonly selection: Selection<Item>
  readonly actions: readonly BulkAction<Item>[]
  /** The number of rows that the list has in all. */
  readonly total: number
  /** Loads the rows of the list, up to the most that can be selected. */
  readonly loadAll: () => Promise<readonly Item[]>
  readonly onDone: () => Promise<unknown>
}

/** What can be done with the selected rows. */
export function BulkBar<Item>({ selection, actions, total, loadAll, onDone }: BulkBarProps<Item>) {
  const [chosen, setChosen] = useState<BulkAction<Item>>()
  const count = selection.items.length
  const most = Math.min(total, MAX_SELECTED)
  const close = () => {
    setChosen(undefined)
    void onDone()
  }
  return (
    <Paper withBorder p="xs" role="group" aria-label="Selected rows">
      <Group gap="xs">
        <Text size="sm" aria-live="polite">
          {count} selected
        </Text>
        {actions.map((action) => (
          <Button
            key={action.label}
            size="xs"
            variant="light"
            {...(action.isDangerous && { color: 'red' })}
            onClick={() => setChosen(action)}
          >
            {action.label}…
          </Button>
        ))}
        {count < most && (
          <ActionButton size="xs" variant="subtle" onAct={async () => selection.set(await loadAll(), true)}>
            {total > MAX_SELECTED ? `Select the first ${MAX_SELECTED} of ${total}` : `Select all ${total}`}
          </ActionButton>
        )}
        <Button size="xs" variant="subtle" onClick={selection.clear}>
          Clear the selection
        </Button>
      </Group>
      {chosen && <BulkDialog action={chosen} items={selection.items} onClose={close} onFinished={selection.clear} />}
    </Paper>
  )
}
