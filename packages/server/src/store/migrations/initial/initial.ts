import type { Migration } from '../migration.ts'
import { hosted } from './hosted.ts'
import { identities } from './identities.ts'
import { records } from './records.ts'
import { sessions } from './sessions.ts'
import { signersAndPolicies } from './signers-and-policies.ts'

/**
 * The schema of the first release. Never edit it: databases with `UNRELEASED_STEPS` are treated as having it.
 * Order matters: a table is created after those that it references.
 */
export const initial: Migration = {
  version: 1,
  name: 'initial',
  statements: (types) => [records, signersAndPolicies, identities, sessions, hosted].flatMap((part) => part(types)),
}
