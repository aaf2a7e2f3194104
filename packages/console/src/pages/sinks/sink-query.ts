import { queryOptions } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { loadVersioned } from '../../api/versioned.ts'

/** Refreshed while it is open: its deliveries go on. */
export const sinkQuery = (id: string) =>
  queryOptions({ queryKey: ['sinks', 'one', id], queryFn: () => loadVersioned(controller.eventSinks, id) })
