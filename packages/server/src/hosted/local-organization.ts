import type { Store } from '../store/store.ts'

/** The id of the organization that owns this controller. It never changes. */
export type LocalOrganization = () => Promise<string>

export function createLocalOrganization({ db }: Store): LocalOrganization {
  let known: string | undefined
  return async () => {
    known ??= (await db.selectFrom('organizations').select('id').where('is_local', '=', true).executeTakeFirstOrThrow())
      .id
    return known
  }
}
