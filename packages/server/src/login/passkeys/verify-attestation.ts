import type { PasskeyAttestation } from '@countersign/contract'
import { type CoseKey, decodeBase64url, findPasskeyKeyFault, PASSKEY_ALGORITHM_IDS } from '@countersign/core'
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
 * Verifies a new passkey, whose client data has been checked. Statements about the authenticator are not requested: those with certificates are refused,
 * and none is given to the library, which would fetch revocation lists from addresses that the client chooses, and use keys that are not admitted.
 */
export async function verifyAttestation({
  attestation,
  issued,
  challenge,
}: CheckedAttestation): Promise<VerifiedPasskey | CeremonyFault> {
  const library = await loadPasskeyLibrary()
  const { decodeAttestationObject, decodeCredentialPublicKey, verifyRegistrationResponse } = library
  try {
    const bytes = decodeBase64url(attestation.response.attestationObject)
    if (!bytes) return 'passkey-malformed'
    const decoded = decodeAttestationObject(new Uint8Array(bytes))
    const format = decoded.get('fmt')
    const isSelfSigned = format === 'packed' && !decoded.get('attStmt').get('x5c')
    if (format !== 'none' && !isSelfSigned) return 'passkey-malformed'
    const authData = decoded.get('authData')
    const fault = findAuthenticatorFault(authData, issued)
    if (fault !== undefined) return fault
    const attestationObject = Buffer.from(library.isoCBOR.encode(withoutStatement(authData))).toString('base64url')
    const response = { ...attestation.response, attestationObject }
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...attestation, response, clientExtensionResults: {} } as never,
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

type Attestation = Map<string, string | Map<string, string> | Uint8Array>

function withoutStatement(authData: Uint8Array): Attestation {
  return new Map<string, string | Map<string, string> | Uint8Array>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
}
