import { queryOptions } from '@tanstack/react-query'
import { controller } from '../../api/client.ts'
import { loadVersioned } from '../../api/versioned.ts'

export const signerQuery = (id: string) =>
  queryOptions({ queryKey: ['signers', 'one', id], queryFn: () => loadVersioned(controller.signers, id) })
