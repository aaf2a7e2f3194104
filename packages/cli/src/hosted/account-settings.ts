import type { Account, AccountChanges } from '@countersign/sdk'
import { usageError } from '../cli-error.ts'
import type { Flag, FlagValues } from '../command.ts'
import { loadTextFile } from '../files/load-text-file.ts'

/** The value of a flag that removes the end of access, or the plan of rotation. */
const NEVER = 'never'
const DEFAULT_OVERLAP_HOURS = 24

/** The flags for the settings of an account, which `create` and `update` have. */
export const SETTING_FLAGS: readonly Flag[] = [
  {
    name: 'role',
    value: 'ROLE',
    description: 'admin, network-admin or read-only, the default; "roles list" shows what each permits',
  },
  { name: 'email', value: 'ADDRESS', description: 'The contact address' },
  { name: 'description', value: 'TEXT', description: 'The purpose of the account' },
  { name: 'expires-at', value: 'TIME', description: `When its access ends, such as 2027-01-31T00:00:00Z, or ${NEVER}` },
  { name: 'rotate-every', value: 'DAYS', description: `Rotate the credentials by plan, or ${NEVER}` },
  {
    name: 'rotation-overlap',
    value: 'HOURS',
    description: `How long the old ones stay valid then [${DEFAULT_OVERLAP_HOURS}]`,
  },
]

/** The flags for a client that exists at the provider already. */
export const CLIENT_FLAGS: readonly Flag[] = [
  {
    name: 'client-id',
    value: 'ID',
    description: 'Use this existing client of the provider instead of registering one',
  },
  {
    name: 'proof-token',
    value: 'FILE',
    description: 'A file with a current access token of this client, which proves that it is yours',
  },
]

/** The settings that the flags name, without the plan of rotation. */
export function readSettings(flags: FlagValues) {
  const { role, email, description, 'expires-at': expiresAt } = flags
  return {
    ...(role !== undefined && { role: role as Account['role'] }),
    ...(email !== undefined && { contactEmail: String(email) }),
    ...(description !== undefined && { description: String(description) }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === NEVER ? null : String(expiresAt) }),
  }
}

/** The plan of rotation by the flags. What they leave open is as in the plan `before`. */
export function readRotation(
  { 'rotate-every': days, 'rotation-overlap': hours }: FlagValues,
  before: Account['rotation'] = null,
): Pick<AccountChanges, 'rotation'> {
  if (days === undefined && hours === undefined) return {}
  if (days === NEVER) return { rotation: null }
  const rotation = {
    everyDays: Number(days ?? before?.everyDays),
    overlapHours: Number(hours ?? before?.overlapHours ?? DEFAULT_OVERLAP_HOURS),
  }
  if (Object.values(rotation).every(Number.isInteger)) return { rotation }
  throw usageError('the plan of rotation is no number', 'write --rotate-every DAYS --rotation-overlap HOURS')
}

export function readClient({ 'client-id': clientId, 'proof-token': proofToken }: FlagValues) {
  return {
    ...(clientId !== undefined && { clientId: String(clientId) }),
    ...(proofToken !== undefined && { proofToken: loadTextFile(String(proofToken)).trim() }),
  }
}
