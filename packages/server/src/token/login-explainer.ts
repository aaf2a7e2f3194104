import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExplainMethod } from '@countersign/contract'
import {
  type CredentialUse,
  type EnrollmentKind,
  enrollPolicyId,
  explainToken,
  isLinkedTo,
  type RuleBudget,
  readEnrollmentClaims,
  readJws,
  revocableToken,
  type VerifiedToken,
} from '@countersign/core'
import type { StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findDeletion } from '../store/reads/identity-access-reads.ts'
import { isIdentityName } from '../store/reads/identity-reads.ts'
import { findRevocation, type Revocation } from '../store/reads/token-revocation-reads.ts'
import { findCredentialUse } from '../store/reads/used-credential-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { claimedIdentityOf } from './claimed-identity.ts'
import { missingChoice, missingForEnrollment } from './enrollment-refusals.ts'
import { explainedIdentity, explainedPolicy, type LoginExplanation } from './login-explanation.ts'
import { judgeAttempt, loadAttempt, missingForLogin, subjectOf } from './login-refusals.ts'
import type { TokenContext } from './request-proofs.ts'
import { RuleBudgets } from './rule-budgets.ts'
import { SimilarSigners, type SimilarSignersParts } from './similar-signers.ts'

export interface ExplainOptions {
  /** For a request that was refused: see `SimilarSigners`. */
  readonly isLimited?: boolean
  /** The enrollment kind; by default every kind that the signer allows. */
  readonly kind?: EnrollmentKind | undefined
  /** Explains for this signer only; by default for all that accept the token. */
  readonly signerId?: string | undefined
  /** Compares the token with this signer only; by default with all that match or nearly match. */
  readonly chosen?: StoredSigner | undefined
  /** For rules that read it. */
  readonly request?: TokenContext | undefined
}

/** What follows when a signer accepts the token. */
type AttemptExplanation = Pick<LoginExplanation, 'identity' | 'policy' | 'missing'>

const NOT_ACCEPTED: AttemptExplanation = {
  identity: null,
  policy: null,
  missing: ['a token that an enabled signer accepts: the hints say what is wrong with this one'],
}
const NOT_COMPARED =
  'the token was not compared with the signers, because too many requests were refused at that time: explain the token to compare it'

/** Explains logins and enrollments with a token to administrators. Creates nothing; the token is neither stored nor logged. */
export class LoginExplainer {
  readonly #store: SimilarSignersParts['store']
  readonly #clock: SimilarSignersParts['clock']
  readonly #similarSigners: SimilarSigners

  constructor(parts: SimilarSignersParts) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#similarSigners = new SimilarSigners(parts)
  }

  /** Explains what a login or an enrollment with this token would do now. */
  async explain(
    token: string,
    method: ExplainMethod,
    { isLimited = false, kind, signerId, chosen, request }: ExplainOptions = {},
  ): Promise<LoginExplanation> {
    const reading = readJws(token)
    const wasUsed = (use: CredentialUse) => this.#wasUsed(use, method)
    const similar = reading.ok
      ? await this.#similarSigners.verify(reading.jws, { isLimited, chosen, request, wasUsed })
      : []
    const claimedIdentity = reading.ok ? claimedIdentityOf(reading.jws, similar ?? []) : null
    if (!similar) return { signers: [], claimedIdentity, ...NOT_ACCEPTED, hints: [NOT_COMPARED] }
    const found: AttemptExplanation[] = []
    const accepting: StoredSigner[] = []
    // Of its own: that of the request is spent.
    const rules = new RuleBudgets()
    for (const { signer, verdict } of similar) {
      if (!signer.enabled || !verdict.accepted || (signerId !== undefined && signer.id !== signerId)) continue
      accepting.push(signer)
      await nextTurn()
      const ruleBudget = rules.ofPolicies(signer)
      found.push(await this.#explainAttempt(method, signer, verdict.token, { kind, request, ruleBudget }))
    }
    // When several signers accept a token, a login tries each until one leads to an identity.
    const [closest = NOT_ACCEPTED] = found.toSorted((a, b) => a.missing.length - b.missing.length)
    const { signers, hints } = explainToken(token, similar, this.#clock.now())
    const choice = method === 'enroll' ? missingChoice(accepting, kind) : []
    return { signers, claimedIdentity, ...closest, missing: [...choice, ...closest.missing], hints }
  }

  /** An enrollment to token use and the first login after it are one use. */
  async #wasUsed({ digest }: CredentialUse, method: ExplainMethod): Promise<boolean> {
    const usedFor = await findCredentialUse(this.#store.db, digest)
    return method === 'enroll' ? usedFor !== undefined : usedFor === 'login'
  }

  #explainAttempt(
    method: ExplainMethod,
    signer: StoredSigner,
    token: VerifiedToken,
    { kind, request, ruleBudget }: Pick<ExplainOptions, 'kind' | 'request'> & { readonly ruleBudget: RuleBudget },
  ): Promise<AttemptExplanation> {
    return method === 'enroll'
      ? this.#explainEnrollment(signer, token, { kind, request })
      : this.#explainLogin(signer, token, request, ruleBudget)
  }

  async #explainLogin(
    signer: StoredSigner,
    token: VerifiedToken,
    request: TokenContext | undefined,
    ruleBudget: RuleBudget,
  ): Promise<AttemptExplanation> {
    const loaded = await loadAttempt(this.#store.db, signer, subjectOf(token, request), this.#clock.now())
    const attempt = { ...loaded, revocation: await this.#findRevocation(signer, token, loaded.identity) }
    const isProvisioned = !attempt.identity && signer.provisionOnLogin
    if (isProvisioned) return this.#explainEnrollment(signer, token, { kind: 'token', request, isLogin: true })
    return {
      identity: explainedIdentity(attempt.identity, attempt.now),
      policy: explainedPolicy(attempt.policy),
      missing: missingForLogin(judgeAttempt(attempt, ruleBudget)),
    }
  }

  /** An identity provider can only revoke the tokens of identities that are linked to its signer; one that enrolls will be. */
  async #findRevocation(
    { id }: StoredSigner,
    token: VerifiedToken,
    identity: StoredIdentity | undefined,
  ): Promise<Revocation | undefined> {
    if (identity && !isLinkedTo(identity, id)) return undefined
    return findRevocation(this.#store.db, id, revocableToken(token))
  }

  async #explainEnrollment(
    signer: StoredSigner,
    token: VerifiedToken,
    { kind, request, isLogin = false }: Pick<ExplainOptions, 'kind' | 'request'> & { readonly isLogin?: boolean },
  ): Promise<AttemptExplanation> {
    const { db } = this.#store
    const { identity, now } = await loadAttempt(db, signer, subjectOf(token, request), this.#clock.now())
    const policy = await findAuthPolicy(db, enrollPolicyId(signer))
    const { key, name } = readEnrollmentClaims(signer, token)
    const deletedAt = key.ok ? await findDeletion(db, key.value) : undefined
    const revocation = await this.#findRevocation(signer, token, identity)
    const isNameTaken = !identity && name.ok && (await isIdentityName(db, name.value))
    const decided = { now, isLogin, deletedAt, revocation }
    return {
      identity: explainedIdentity(identity, now),
      policy: explainedPolicy(policy),
      missing: missingForEnrollment({ signer, token, request, kind, identity, policy, isNameTaken, ...decided }),
    }
  }
}
