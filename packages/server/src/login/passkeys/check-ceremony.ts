import { hash, timingSafeEqual } from 'node:crypto'
import { type ClientData, type RelyingParty, readClientData } from '@countersign/core'
import type { CeremonyFault } from '../../token/decision-reason.ts'
import type { ChallengePurpose, IssuedChallenge, PasskeyChallenges } from './passkey-challenges.ts'

const RP_ID_HASH_BYTES = 32
const MIN_AUTHENTICATOR_DATA_BYTES = 37
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04

interface Ceremony {
  readonly clientDataJSON: string
  readonly type: 'webauthn.create' | 'webauthn.get'
  readonly purpose: ChallengePurpose
}

/** Checks what the browser says about a ceremony: its type, our challenge, and the origin that the challenge was issued for. */
export function checkClientData(
  challenges: Pick<PasskeyChallenges, 'open'>,
  { clientDataJSON, type, purpose }: Ceremony,
): { readonly issued: IssuedChallenge; readonly clientData: ClientData } | CeremonyFault {
  const clientData = readClientData(clientDataJSON)
  if (clientData?.type !== type) return 'passkey-malformed'
  const issued = challenges.open(clientData.challenge, purpose)
  if (!issued) return 'passkey-challenge'
  if (clientData.origin !== issued.origin || clientData.isCrossOrigin) return 'passkey-origin'
  return { issued, clientData }
}

/** Checks the head of the authenticator data: the domain of the passkey, and that the authenticator has verified its user. */
export function findAuthenticatorFault(
  authenticatorData: Uint8Array,
  { rpId }: Pick<RelyingParty, 'rpId'>,
): CeremonyFault | undefined {
  if (authenticatorData.length < MIN_AUTHENTICATOR_DATA_BYTES) return 'passkey-malformed'
  const rpIdHash = authenticatorData.subarray(0, RP_ID_HASH_BYTES)
  if (!timingSafeEqual(rpIdHash, hash('sha256', rpId, 'buffer'))) return 'passkey-origin'
  const flags = authenticatorData[RP_ID_HASH_BYTES] ?? 0
  return (flags & USER_PRESENT) !== 0 && (flags & USER_VERIFIED) !== 0 ? undefined : 'passkey-unverified'
}
