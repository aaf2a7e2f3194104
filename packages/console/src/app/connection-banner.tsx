import { Alert, Button, Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { controller } from '../api/client.ts'
import { useConnectionLost } from '../api/connection.ts'
import { queries } from '../api/queries.ts'

const LOOK_EVERY_MS = 3_000

/** Says that the controller does not answer, looks for it, and loads everything again once it is back. */
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
    const timer = setInterval(look, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [isLost])
  return (
    <div aria-live="assertive">
      {isLost && (
        <Alert color="orange" mb="md" title="The controller does not answer">
          <Group justify="space-between">
            <Text size="sm">What you see may be old. The page goes on by itself when the connection is back.</Text>
            <Button size="xs" variant="default" onClick={look}>
              Try now
            </Button>
          </Group>
        </Alert>
      )}
    </div>
  )
}

function look(): void {
  void controller.version().catch(() => undefined)
}
