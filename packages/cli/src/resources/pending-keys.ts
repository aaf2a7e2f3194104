import { shortLine } from '../printable.ts'

interface PendingKey {
  readonly kid: string
  readonly thumbprint: string
}

/**
 * A line for each key that waits for a confirmation. The thumbprint comes first, and the kid is cut: who publishes the keys writes it, and could write
 * another thumbprint into it.
 */
export function describePendingKeys(keys: readonly PendingKey[]): string[] {
  return keys.map(({ thumbprint, kid }) => `${thumbprint}  ${shortLine(kid)}`)
}
