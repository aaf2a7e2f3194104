import { type AccountSettings, fieldError } from '@countersign/core'
import type { AccountClient } from '../../store/writes/account-client-writes.ts'

const DAY_MS = 86_400_000

/** Throws for a plan of rotation when the controller did not create the client: only its owner can rotate it. */
export function checkRotationPlan(
  { rotation }: Pick<AccountSettings, 'rotation'>,
  client: Pick<AccountClient, 'administeredBy'> | undefined,
): void {
  if (rotation === null || client?.administeredBy) return
  throw fieldError('rotation', 'rotation needs a client that the controller created at the provider', '')
}

/** When the credentials from `rotatedAt` are rotated; null without a plan. */
export function nextRotation({ rotation }: Pick<AccountSettings, 'rotation'>, rotatedAt: number): number | null {
  return rotation === null ? null : rotatedAt + rotation.everyDays * DAY_MS
}
