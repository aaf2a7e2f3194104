/** The signers whose identity provider may end the access of an identity. */
export interface Linked {
  /** The signer whose token created the identity. */
  readonly enrolledBySignerId: string | null
  /** Those that an administrator has linked. */
  readonly linkedSigners: readonly string[]
}

/** Whether the identity provider of a signer may end the access of an identity. Others must not: anyone can name any subject. */
export function isLinkedTo({ enrolledBySignerId, linkedSigners }: Linked, signerId: string): boolean {
  return enrolledBySignerId === signerId || linkedSigners.includes(signerId)
}
