/** A warning for administrators about the keys of a signer. */
export interface SignerKeyWarning {
  readonly kind:
    | 'provider-down'
    | 'empty-key-set'
    | 'secret-published'
    | 'keys-left-out'
    | 'certificate-unusable'
    | 'certificate-ends'
    | 'keys-not-pinned'
    | 'keys-unconfirmed'
    | 'pushed-keys-aging'
    | 'pushed-keys-stale'
  readonly signerId: string
  readonly message: string
}

export type OnSignerKeyWarning = (warning: SignerKeyWarning) => void
