import { queryOptions } from '@tanstack/react-query'
import { callData } from '../../api/call.ts'
import { one, SIGNERS } from '../../api/paths.ts'
import type { Signer } from '../../api/wire.ts'

export const signerQuery = (id: string) =>
  queryOptions({ queryKey: ['signers', 'one', id], queryFn: () => callData<Signer>('GET', one(SIGNERS, id)) })
