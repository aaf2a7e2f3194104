import { Alert, Button, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { controller } from '../api/client.ts'
import { useConnectionLost } from '../api/connection.ts'
import { queries } from '../api/queries.ts'

const POLL_MS = 3_000

/** Shown while the controller does not respond. Polls it, and reloads all queries when it is back. */
export function ConnectionBanner() {
  const isLost = useConnectionLost()
  const wasLost = useRef(false)
  useEffect(() => {
    if (!isLost) {
      if (wasLost.current) void queries.invalidateQueries()
      wasLost.current = false
      return
    }
    wasLost.current = true
    const timer = setInterval(poll, POLL_MS)
    return () => clearInterval(timer)
  }, [isLost])
  return (
    <div aria-live="assertive">
      {isLost && (
        <Alert color="orange" mb="md" title="The controller does not respond">
          <Group justify="space-between">
            <Text size="sm">This page may be out of date. It reloads by itself when the connection is back.</Text>
            <Button size="xs" variant="default" onClick={poll}>
              Try now
            </Button>
          </Group>
        </Alert>
      )}
    </div>
  )
}

function poll(): void {
  void controller.version().catch(() => undefined)
}
