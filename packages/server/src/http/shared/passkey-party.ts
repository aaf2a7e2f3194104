import { AppError, type RelyingParty, relyingPartyOf } from '@countersign/core'
import type { OwnAddresses } from '../../platform/own-addresses.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { Call } from '../pipeline/call.ts'

export interface PasskeyPartyParts {
  readonly ownAddresses: Pick<OwnAddresses, 'find'>
  readonly settings: Pick<Settings, 'passkeys'>
}

/**
 * The relying party of the address under which the client has reached this controller. Fails with PASSKEY_UNAVAILABLE where passkeys cannot be used: a page
 * of another server could otherwise be made the origin by a `Host` of its choice.
 */
export function passkeyPartyOf(
  { ownAddresses, settings }: PasskeyPartyParts,
  call: Pick<Call, 'untrustedHead' | 'localPort'>,
): RelyingParty {
  const address = ownAddresses.find(call.untrustedHead.host, call.localPort)
  if (address === undefined) {
    const message =
      'the Host of the request is no address of this controller: add it to the setting advertise, or to the server certificate'
    throw new AppError('PASSKEY_UNAVAILABLE', { message })
  }
  return relyingPartyOf(`https://${address}`, settings.passkeys.domain)
}

/** Whether browsers can use passkeys under the address of the request. */
export function hasPasskeyParty(...args: Parameters<typeof passkeyPartyOf>): boolean {
  try {
    passkeyPartyOf(...args)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
