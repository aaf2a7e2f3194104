import type { UntrustedJws } from '../token/jws.ts'
import type { JudgedSigner } from './explanation.ts'

/** A token of the right form before one signer, at one time. */
export interface HintSubject extends JudgedSigner {
  readonly jws: UntrustedJws
  readonly nowMs: number
}
