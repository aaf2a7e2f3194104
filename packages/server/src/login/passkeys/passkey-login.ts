import type { Authenticate, PasskeyAssertion } from '@countersign/contract'
import { AppError, isLoginAllowed, type RelyingParty, type RuleRequest } from '@countersign/core'
import { type SessionOptions, startSession } from '../../operations/api-session/start-session.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import { isDisabled, isExpired, type StoredIdentity } from '../../store/identity-row.ts'
import { findAuthPolicy } from '../../store/reads/auth-policy-reads.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import { findPasskeyByCredential, isChallengeSpent } from '../../store/reads/passkey-reads.ts'
import type { PasskeyRefusal } from '../../token/decision-reason.ts'
import { findTokenlessRefusal } from '../policy-rule.ts'
import { checkClientData } from './check-ceremony.ts'
import { CHALLENGE_MS, type PasskeyChallenges } from './passkey-challenges.ts'
import { loadPasskeyLibrary } from './passkey-library.ts'
import { verifyAssertion } from './verify-assertion.ts'

interface PasskeyLoginParts extends SessionOptions {
  readonly challenges: PasskeyChallenges
}

export type PasskeyLoginResult =
  | { readonly loggedIn: true; readonly token: string; readonly session: LiveSession }
  | {
      readonly loggedIn: false
      readonly reason: PasskeyRefusal
      /** The identity of the passkey. */
      readonly identity: StoredIdentity | undefined
      readonly policy: StoredAuthPolicy | undefined
    }

const PASSKEY_LOGIN = { method: 'passkey' } as const

/** Exchanges the response of a passkey for a session. It needs no user name: the passkey names its identity. All refusals have the same response. */
export class PasskeyLogin {
  readonly #parts: PasskeyLoginParts

  constructor(parts: PasskeyLoginParts) {
    this.#parts = parts
  }

  /** The options with which a browser asks for any passkey of this controller. */
  async options(party: RelyingParty) {
    const { generateAuthenticationOptions } = await loadPasskeyLibrary()
    return generateAuthenticationOptions({
      rpID: party.rpId,
      challenge: this.#parts.challenges.issue('login', party),
      timeout: CHALLENGE_MS,
      userVerification: 'required',
    })
  }

  /** Throws COULD_NOT_VALIDATE without the response of a passkey. */
  async logIn(body: Authenticate, request: RuleRequest, open = startSession): Promise<PasskeyLoginResult> {
    const { passkey: assertion, ...others } = body
    if (!assertion) throw new AppError('COULD_NOT_VALIDATE', { message: 'the field passkey is required' })
    const found = await this.#identify(assertion, request)
    if (found.reason !== undefined) return { loggedIn: false, ...found }
    const { identity, policy, proof } = found
    const authenticated = {
      identity,
      policy,
      login: PASSKEY_LOGIN,
      authenticatorId: proof.passkeyId,
      passkey: proof,
      body: others,
      ipAddress: request.address,
    }
    return { loggedIn: true, ...(await open(this.#parts, authenticated)) }
  }

  async #identify(assertion: PasskeyAssertion, request: RuleRequest) {
    const { store, clock, challenges } = this.#parts
    const { clientDataJSON } = assertion.response
    const checked = checkClientData(challenges, { clientDataJSON, type: 'webauthn.get', purpose: 'login' })
    if (typeof checked === 'string') return refused(checked)
    const passkey = await findPasskeyByCredential(store.db, assertion.id)
    if (!passkey) return refused('passkey-unknown')
    const identity = await findIdentity(store.db, passkey.identity_id)
    const policy = await findAuthPolicy(store.db, identity?.authPolicyId ?? '')
    const { issued, clientData } = checked
    const use = await verifyAssertion({ assertion, passkey, issued, challenge: clientData.challenge })
    if (typeof use === 'string') return refused(use, identity, policy)
    if (await isChallengeSpent(store.db, passkey.identity_id, issued.spent.digest)) {
      return refused('passkey-challenge', identity, policy)
    }
    if (!identity || !policy) return refused('passkey-unknown')
    const refusal = await findRefusal(identity, policy, request, clock.now())
    if (refusal !== undefined) return refused(refusal, identity, policy)
    const proof = { ...use, passkeyId: passkey.id, credentialId: passkey.credential_id, challenge: issued.spent }
    return { reason: undefined, identity, policy, proof }
  }
}

function refused(reason: PasskeyRefusal, identity?: StoredIdentity, policy?: StoredAuthPolicy) {
  return { reason, identity, policy }
}

async function findRefusal(
  identity: StoredIdentity,
  policy: StoredAuthPolicy,
  request: RuleRequest,
  now: number,
): Promise<PasskeyRefusal | undefined> {
  if (isDisabled(identity, now)) return 'disabled'
  if (isExpired(identity, now)) return 'identity-expired'
  if (!isLoginAllowed(policy, PASSKEY_LOGIN)) return 'not-allowed'
  return findTokenlessRefusal(policy, identity, request, now)
}
