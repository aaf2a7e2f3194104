import type { PasskeyAssertion, PasskeyCreate } from '@countersign/contract'
import { AppError, checkPlainText, newSortableId, PASSKEY_ALGORITHM_IDS, type RelyingParty } from '@countersign/core'
import { registerPasskey } from '../../operations/passkey/register-passkey.ts'
import { passPasskey } from '../../operations/passkey/use-passkey.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import { readJsonColumn } from '../../store/json-column.ts'
import type { OperationMeta } from '../../store/operation-meta.ts'
import { findPasskeyByCredential, listPasskeys } from '../../store/reads/passkey-reads.ts'
import type { PasskeyRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import type { CeremonyFault } from '../../token/decision-reason.ts'
import type { LoginReporter } from '../login-reporter.ts'
import { refusedPasskey } from '../refused-login.ts'
import { checkClientData } from './check-ceremony.ts'
import { CHALLENGE_MS, type PasskeyChallenges } from './passkey-challenges.ts'
import { loadPasskeyLibrary } from './passkey-library.ts'
import { userHandleOf, verifyAssertion } from './verify-assertion.ts'
import { verifyAttestation } from './verify-attestation.ts'

export interface OwnPasskeysParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly challenges: PasskeyChallenges
  readonly logins: Pick<LoginReporter, 'factor'>
}

/** A request with a session. */
export interface PasskeyRequest {
  readonly id: string
  /** With the port, if known. */
  readonly remoteAddr: string
  readonly clientAddress: string
  readonly session: LiveSession
  readonly meta: OperationMeta
}

/** The name that browsers show beside the domain. */
const PARTY_NAME = 'Countersign'

/** The passkeys of a session's identity: how it adds one, and how it completes the session with one. */
export class OwnPasskeys {
  readonly #parts: OwnPasskeysParts

  constructor(parts: OwnPasskeysParts) {
    this.#parts = parts
  }

  /** The options with which a browser creates a passkey for the session's identity. */
  async registrationOptions({ id, identity }: LiveSession, party: RelyingParty) {
    const { generateRegistrationOptions } = await loadPasskeyLibrary()
    return generateRegistrationOptions({
      rpName: PARTY_NAME,
      rpID: party.rpId,
      userID: new Uint8Array(Buffer.from(userHandleOf(identity.id), 'base64url')),
      userName: identity.name,
      userDisplayName: identity.name,
      challenge: this.#parts.challenges.issue({ register: id }, party),
      timeout: CHALLENGE_MS,
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHM_IDS],
      excludeCredentials: await this.#credentials(identity.id, party),
    })
  }

  /** Adds the passkey that the browser has created. Returns its id. Throws PASSKEY_INVALID, and what `registerPasskey` throws. */
  async register({ session, meta }: PasskeyRequest, { name = '', credential }: PasskeyCreate): Promise<string> {
    checkPlainText('name', name)
    const { clientDataJSON } = credential.response
    const ceremony = { clientDataJSON, type: 'webauthn.create', purpose: { register: session.id } } as const
    const checked = checkClientData(this.#parts.challenges, ceremony)
    if (typeof checked === 'string') throw invalid(checked)
    const { issued, clientData } = checked
    const verified = await verifyAttestation({ attestation: credential, issued, challenge: clientData.challenge })
    if (typeof verified === 'string') throw invalid(verified)
    const id = newSortableId(meta.now)
    const args = { ...verified, id, name: name.trim(), challenge: issued.spent }
    await this.#parts.store.run(registerPasskey, args, meta)
    return id
  }

  /** The options with which a browser asks for a passkey of the session's identity. */
  async completionOptions({ id, identity }: LiveSession, party: RelyingParty) {
    const { generateAuthenticationOptions } = await loadPasskeyLibrary()
    return generateAuthenticationOptions({
      rpID: party.rpId,
      challenge: this.#parts.challenges.issue({ complete: id }, party),
      timeout: CHALLENGE_MS,
      userVerification: 'required',
      allowCredentials: await this.#credentials(identity.id, party),
    })
  }

  /** Completes the session. Throws PASSKEY_INVALID, and reports it. */
  async complete(request: PasskeyRequest, assertion: PasskeyAssertion): Promise<void> {
    const { session, meta, id, remoteAddr, clientAddress: remoteAddress } = request
    const refuse = (fault: CeremonyFault): AppError => {
      const refused = refusedPasskey({ id, remoteAddress }, { reason: fault, ...session }, meta.now)
      this.#parts.logins.factor('passkey', session, refused, { id, remoteAddr })
      return invalid(fault)
    }
    const { clientDataJSON } = assertion.response
    const ceremony = { clientDataJSON, type: 'webauthn.get', purpose: { complete: session.id } } as const
    const checked = checkClientData(this.#parts.challenges, ceremony)
    if (typeof checked === 'string') throw refuse(checked)
    const { issued, clientData } = checked
    const passkey = await findPasskeyByCredential(this.#parts.store.db, assertion.id)
    if (!passkey) throw refuse('passkey-unknown')
    if (passkey.identity_id !== session.identity.id) throw refuse('passkey-of-another')
    const use = await verifyAssertion({ assertion, passkey, issued, challenge: clientData.challenge })
    if (typeof use === 'string') throw refuse(use)
    const proof = { ...use, passkeyId: passkey.id, credentialId: passkey.credential_id, challenge: issued.spent }
    const args = { ...proof, id: session.identity.id, sessionId: session.id }
    try {
      await this.#parts.store.run(passPasskey, args, meta)
    } catch (error) {
      if (error instanceof AppError && error.code === 'PASSKEY_INVALID') throw refuse('passkey-challenge')
      throw error
    }
    this.#parts.logins.factor('passkey', session, undefined, { id, remoteAddr })
  }

  /** Those that work under this domain. */
  async #credentials(identityId: string, { rpId }: RelyingParty) {
    const passkeys = await listPasskeys(this.#parts.store.db, identityId)
    return passkeys.filter((passkey) => passkey.rp_id === rpId).map(credentialOf)
  }
}

function credentialOf({ credential_id: id, transports }: PasskeyRow) {
  return { id, transports: readJsonColumn<never[]>(transports) }
}

const FAULT_TEXTS: Readonly<Record<CeremonyFault, string>> = {
  'passkey-malformed': 'the response cannot be read, or its key or format is not supported',
  'passkey-challenge': 'the request has expired or was used before: try again',
  'passkey-origin': 'the passkey was used under another address',
  'passkey-unverified': 'the device has not verified its user by PIN, fingerprint or face',
  'passkey-signature': 'the signature is not valid',
  'passkey-counter': 'the passkey may have been copied: its counter went back',
  'passkey-unknown': 'the passkey is not registered',
  'passkey-of-another': 'the passkey belongs to another identity',
}

/** The caller has a session: the text may say what is wrong. */
function invalid(fault: CeremonyFault): AppError {
  return new AppError('PASSKEY_INVALID', { message: FAULT_TEXTS[fault] })
}
