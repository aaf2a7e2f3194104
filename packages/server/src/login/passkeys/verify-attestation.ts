import type { PasskeyAttestation } from '@countersign/contract'
import { type CoseKey, findPasskeyKeyFault, PASSKEY_ALGORITHM_IDS } from '@countersign/core'
import type { NewPasskey } from '../../store/writes/passkey-writes.ts'
import type { CeremonyFault } from '../../token/decision-reason.ts'
import { findAuthenticatorFault } from './check-ceremony.ts'
import type { IssuedChallenge } from './passkey-challenges.ts'
import { loadPasskeyLibrary } from './passkey-library.ts'

interface CheckedAttestation {
  readonly attestation: PasskeyAttestation
  readonly issued: IssuedChallenge
  /** As the browser has sent it. */
  readonly challenge: string
}

export type VerifiedPasskey = Omit<NewPasskey, 'id' | 'identityId' | 'name'>

/**
 * Verifies a new passkey, whose client data has been checked. Statements about the authenticator are not requested, and those with certificates are
 * refused before they are read: verifying them would fetch revocation lists from addresses that the client chooses.
 */
export async function verifyAttestation({
  attestation,
  issued,
  challenge,
}: CheckedAttestation): Promise<VerifiedPasskey | CeremonyFault> {
  const library = await loadPasskeyLibrary()
  const { decodeAttestationObject, decodeCredentialPublicKey, verifyRegistrationResponse } = library
  try {
    const bytes = new Uint8Array(Buffer.from(attestation.response.attestationObject, 'base64url'))
    const decoded = decodeAttestationObject(bytes)
    const format = decoded.get('fmt')
    const isSelfSigned = format === 'packed' && !decoded.get('attStmt').get('x5c')
    if (format !== 'none' && !isSelfSigned) return 'passkey-malformed'
    const fault = findAuthenticatorFault(decoded.get('authData'), issued)
    if (fault !== undefined) return fault
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...attestation, clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: issued.origin,
      expectedRPID: issued.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: [...PASSKEY_ALGORITHM_IDS],
    })
    if (!verified) return 'passkey-signature'
    const { credential, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo
    const key = decodeCredentialPublicKey(credential.publicKey) as unknown as CoseKey
    if (credential.id !== attestation.id || findPasskeyKeyFault(key) !== undefined) return 'passkey-malformed'
    return {
      rpId: issued.rpId,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: [...new Set(attestation.response.transports ?? [])],
      aaguid,
      isBackupEligible: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
    }
  } catch {
    // The library throws for every fault.
    return 'passkey-malformed'
  }
}
