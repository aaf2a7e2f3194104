import type { PasskeyAssertion } from '@countersign/contract'
import { decodeBase64url, isCounterBehind } from '@countersign/core'
import type { PasskeyRow } from '../../store/schema.ts'
import type { PasskeyUse } from '../../store/writes/passkey-writes.ts'
import type { CeremonyFault } from '../../token/decision-reason.ts'
import { findAuthenticatorFault } from './check-ceremony.ts'
import type { IssuedChallenge } from './passkey-challenges.ts'
import { loadPasskeyLibrary } from './passkey-library.ts'

interface CheckedAssertion {
  readonly assertion: PasskeyAssertion
  readonly passkey: PasskeyRow
  readonly issued: IssuedChallenge
  /** As the browser has sent it. */
  readonly challenge: string
}

/** Verifies the signature of a passkey, whose client data has been checked. Returns what to store of its use, or the fault. */
export async function verifyAssertion({
  assertion,
  passkey,
  issued,
  challenge,
}: CheckedAssertion): Promise<PasskeyUse | CeremonyFault> {
  if (passkey.rp_id !== issued.rpId) return 'passkey-origin'
  if (!isUserOf(assertion, passkey)) return 'passkey-of-another'
  const authenticatorData = decodeBase64url(assertion.response.authenticatorData)
  const fault = authenticatorData ? findAuthenticatorFault(authenticatorData, issued) : 'passkey-malformed'
  if (fault !== undefined) return fault
  const verified = await verifySignature({ assertion, passkey, issued, challenge })
  if (!verified) return 'passkey-signature'
  const { newCounter, credentialBackedUp } = verified
  if (isCounterBehind(newCounter, passkey.counter)) return 'passkey-counter'
  return { counter: newCounter, isBackedUp: credentialBackedUp }
}

/** A passkey that was found without a user name names its identity. */
function isUserOf({ response }: PasskeyAssertion, { identity_id: identityId }: PasskeyRow): boolean {
  const { userHandle } = response
  return !userHandle || userHandle === userHandleOf(identityId)
}

/** Identities have random ids, so that the handle says nothing about a person. */
export function userHandleOf(identityId: string): string {
  return Buffer.from(identityId).toString('base64url')
}

async function verifySignature({ assertion, passkey, issued, challenge }: CheckedAssertion) {
  const { verifyAuthenticationResponse } = await loadPasskeyLibrary()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: issued.origin,
      expectedRPID: issued.rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        // Compared with the stored one afterwards, to tell a copy from a forgery.
        counter: 0,
      },
    })
    return verified ? authenticationInfo : undefined
  } catch {
    // The library throws for every fault.
    return undefined
  }
}
