import type { UntrustedJws } from '../token/jws.ts'
import type { CheckedSigner } from './explanation.ts'

/** A well-formed token and one signer that checked it, at one time. */
export interface HintSubject extends CheckedSigner {
  readonly jws: UntrustedJws
  readonly nowMs: number
}
