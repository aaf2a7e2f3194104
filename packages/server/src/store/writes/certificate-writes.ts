import type { WriteOperation } from '../write-operation.ts'

/** Whether the last sign-in brought the whole chain. No change that anybody follows: it is news to administrators alone. */
const noteChain: WriteOperation<{ id: string; resolvedToRoot: boolean }, void> = async (
  { db },
  { id, resolvedToRoot },
) => {
  await db
    .updateTable('authenticators')
    .set({ last_auth_resolved_to_root: resolvedToRoot })
    .where('id', '=', id)
    .execute()
}

export const CERTIFICATE_WRITES = {
  'authenticator.noteChain': noteChain,
}
