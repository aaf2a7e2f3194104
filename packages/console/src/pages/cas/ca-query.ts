import { queryOptions } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { loadVersioned } from '../../api/versioned.ts'

export const caQuery = (id: string) =>
  queryOptions({ queryKey: ['cas', 'one', id], queryFn: () => loadVersioned(controller.cas, id) })
