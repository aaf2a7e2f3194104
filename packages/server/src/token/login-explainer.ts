import type { ExplainMethod } from '@countersign/contract'
import {
  type EnrollmentKind,
  enrollPolicyId,
  explainToken,
  readEnrollmentClaims,
  readJws,
  type VerifiedToken,
} from '@countersign/core'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { isIdentityName } from '../store/reads/identity-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { missingChoice, missingForEnrollment } from './enroll-obstacles.ts'
import { explainedIdentity, explainedPolicy, type SignInExplanation } from './login-explanation.ts'
import { loadAttempt, missingForSignIn } from './login-obstacles.ts'
import { NearSigners, type NearSignersParts } from './near-signers.ts'

export interface ExplainOptions {
  /** For a token that was refused already: see `NearSigners`. */
  readonly isHurried?: boolean
  /** What the token would be used to enroll to; whatever the signer allows unless given. */
  readonly kind?: EnrollmentKind
  /** The signer that the token is for; all that accept it unless given. */
  readonly signerId?: string | undefined
}

type Standing = Pick<SignInExplanation, 'identity' | 'policy' | 'missing'>

const NOT_TAKEN: Standing = {
  identity: null,
  policy: null,
  missing: ['a token that an enabled signer takes: the hints say what is wrong with this one'],
}
const NOT_COMPARED =
  'there were too many refusals at that time to compare this one with the signers: ask "explain" with the token'

/** Explains logins and enrollments with a token, in words for an administrator. Nothing is created, and the token is neither stored nor logged. */
export class LoginExplainer {
  readonly #store: NearSignersParts['store']
  readonly #clock: NearSignersParts['clock']
  readonly #nearSigners: NearSigners

  constructor(parts: NearSignersParts) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#nearSigners = new NearSigners(parts)
  }

  /** What would come of a login or an enrollment with this token now. */
  async explain(
    token: string,
    method: ExplainMethod,
    { isHurried = false, kind, signerId }: ExplainOptions = {},
  ): Promise<SignInExplanation> {
    const reading = readJws(token)
    const near = reading.ok ? await this.#nearSigners.verify(reading.jws, { isHurried }) : []
    if (!near) return { signers: [], ...NOT_TAKEN, hints: [NOT_COMPARED] }
    const found: Standing[] = []
    const accepting: StoredSigner[] = []
    for (const { signer, verdict } of near) {
      if (!signer.enabled || !verdict.accepted || (signerId !== undefined && signer.id !== signerId)) continue
      accepting.push(signer)
      found.push(await this.#findStanding(method, signer, verdict.token, kind))
    }
    // Several signers may accept a token; a login goes on to the next until one leads to an identity.
    const [nearest = NOT_TAKEN] = found.toSorted((a, b) => a.missing.length - b.missing.length)
    const { signers, hints } = explainToken(token, near, this.#clock.now())
    const choice = method === 'enroll' ? missingChoice(accepting, kind) : []
    return { signers, ...nearest, missing: [...choice, ...nearest.missing], hints }
  }

  #findStanding(
    method: ExplainMethod,
    signer: StoredSigner,
    token: VerifiedToken,
    kind: EnrollmentKind | undefined,
  ): Promise<Standing> {
    return method === 'enroll' ? this.#enrollStanding(signer, token, kind) : this.#loginStanding(signer, token)
  }

  async #loginStanding(signer: StoredSigner, { identityClaim }: VerifiedToken): Promise<Standing> {
    const attempt = await loadAttempt(this.#store.db, signer, identityClaim, this.#clock.now())
    return {
      identity: explainedIdentity(attempt.identity, attempt.now),
      policy: explainedPolicy(attempt.policy),
      missing: missingForSignIn(attempt),
    }
  }

  async #enrollStanding(
    signer: StoredSigner,
    token: VerifiedToken,
    kind: EnrollmentKind | undefined,
  ): Promise<Standing> {
    const { db } = this.#store
    const { identity, now } = await loadAttempt(db, signer, token.identityClaim, this.#clock.now())
    const policy = await findAuthPolicy(db, enrollPolicyId(signer))
    const { name } = readEnrollmentClaims(signer, token)
    const isNameTaken = !identity && name.ok && (await isIdentityName(db, name.value))
    return {
      identity: explainedIdentity(identity, now),
      policy: explainedPolicy(policy),
      missing: missingForEnrollment({ signer, token, kind, identity, policy, isNameTaken }),
    }
  }
}
