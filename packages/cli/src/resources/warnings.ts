import type { Call } from '../command.ts'
import { isSdkError } from '../to-explained.ts'
import type { ResourceKind, WritableCollection } from './resource-kind.ts'

/** What is allowed but probably not meant of the one that was just written. Whatever goes wrong here, it is written. */
export async function loadWarnings(
  { warningsOf }: ResourceKind,
  collection: WritableCollection,
  id: string,
): Promise<readonly string[]> {
  if (!warningsOf) return []
  try {
    return warningsOf(await collection.get(id))
  } catch (error) {
    if (!isSdkError(error)) throw error
    return [`it is saved, but its warnings could not be read: ${error.message}`]
  }
}

/** Somebody should act on them, so that they are told with `--quiet` too. */
export function tellWarnings(
  { terminal }: Call,
  { singular }: ResourceKind,
  name: string,
  warnings: readonly string[],
): void {
  for (const warning of warnings) terminal.tell(`warning: ${singular} ${name}: ${warning}`)
}
