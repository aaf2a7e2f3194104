import { queries } from '../../api/queries.ts'

/** Enrollments are shown in their own list, and with identities. */
export async function reloadEnrollments(): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['identities'] }),
    queries.invalidateQueries({ queryKey: ['enrollments'] }),
  ])
}
