import type { WhatIfChange, WhatIfReport } from '@countersign/sdk'
import { Button, List, Paper, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { controller } from '../api/client.ts'
import { useMay } from '../api/use-may.ts'
import { ErrorNote } from '../show/error-note.tsx'
import { missingLabel } from '../show/missing-label.ts'

/** The state of a preview: what would happen, or why that cannot be said. */
type Shown = { readonly report: WhatIfReport } | { readonly error: unknown }

/** Asks what a change would do to recent logins and live sessions, before it is saved. Undefined without the permission. */
export function usePreview(readChange: (() => WhatIfChange) | undefined) {
  const may = useMay()
  const [shown, setShown] = useState<Shown>()
  const [isBusy, setBusy] = useState(false)
  if (!readChange || !may('POST /what-if')) return undefined
  const ask = async (): Promise<void> => {
    setBusy(true)
    try {
      setShown({ report: await controller.whatIf([readChange()]) })
    } catch (error) {
      setShown({ error })
    } finally {
      setBusy(false)
    }
  }
  return {
    clear: () => setShown(undefined),
    button: (
      <Button variant="light" loading={isBusy} onClick={() => void ask()}>
        Preview
      </Button>
    ),
    result: shown && (
      <InView of={shown}>
        {'error' in shown ? <ErrorNote error={shown.error} /> : <PreviewReport report={shown.report} />}
      </InView>
    ),
  }
}

/** Scrolls to its content each time that another one is shown: a long form ends below the screen. */
function InView({ of: shown, children }: { readonly of: Shown; readonly children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (shown) element.current?.scrollIntoView({ block: 'nearest' })
  }, [shown])
  return (
    // With the buttons below it.
    <div ref={element} style={{ scrollMarginBottom: '5rem' }}>
      {children}
    </div>
  )
}

function PreviewReport({ report }: { readonly report: WhatIfReport }) {
  const { evaluated, unchanged, sessionsEnded } = report
  const lines = linesOf(report)
  return (
    <Paper withBorder p="sm" role="status" aria-label="Preview">
      <Stack gap="xs">
        <Text size="sm">
          Of {evaluated} recent logins and live sessions, {unchanged} would not change and {sessionsEnded} sessions
          would end.
        </Text>
        {lines.length > 0 && (
          <List size="sm">
            {lines.slice(0, MAX_LINES).map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        )}
        {lines.length > MAX_LINES && <Text size="sm">and {lines.length - MAX_LINES} more</Text>}
      </Stack>
    </Paper>
  )
}

const MAX_LINES = 50

function linesOf({ refused, accepted, attributes, factors, unknown }: WhatIfReport): string[] {
  return [
    ...refused.map(({ identity, text }) => `${identity.name} would be refused: ${text}`),
    ...accepted.map(({ identity }) => `${identity.name} would be accepted`),
    ...attributes.map(({ identity, added, removed }) => {
      const changes = [...added.map((name) => `+${name}`), ...removed.map((name) => `−${name}`)]
      return `${identity.name} would get other attributes: ${changes.join(' ')}`
    }),
    ...factors.map(({ identity, missing }) => `${identity.name}: ${missing.map(missingLabel).join('. ')}`),
    ...unknown.map(({ identity, text }) => `Not known for ${identity?.name ?? 'an unknown subject'}: ${text}`),
  ]
}
