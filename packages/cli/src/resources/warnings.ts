import type { ControllerClient } from '@countersign/sdk'
import type { Call } from '../command.ts'
import { isSdkError } from '../to-cli-error.ts'
import type { ResourceDescription, WritableCollection } from './resource-kind.ts'

/** The warnings about an item that was just saved. A failure to read them is itself a warning, since the item is saved. */
export async function loadWarnings(
  { warningsOf }: ResourceDescription,
  collection: Pick<WritableCollection, 'get'>,
  id: string,
  client?: ControllerClient,
): Promise<readonly string[]> {
  if (!warningsOf) return []
  try {
    return await warningsOf(await collection.get(id), client)
  } catch (error) {
    if (!isSdkError(error)) throw error
    return [`it is saved, but its warnings could not be read: ${error.message}`]
  }
}

/** Printed with `--quiet` too. */
export function printWarnings(
  { terminal }: Call,
  { singular }: ResourceDescription,
  name: string,
  warnings: readonly string[],
): void {
  for (const warning of warnings) terminal.notice(`warning: ${singular} ${name}: ${warning}`)
}
