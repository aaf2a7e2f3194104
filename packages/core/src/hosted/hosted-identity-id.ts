import { accountIdOf, isAccountIdentity } from '@countersign/contract/account-identity'
import { derivedUuid } from '../derived-uuid.ts'

/** The id that an identity of this controller has in the hosted API: its API account's id, or a UUID derived from its own. */
export function hostedIdentityId(identityId: string): string {
  return isAccountIdentity(identityId) ? accountIdOf(identityId) : derivedUuid('identity', identityId)
}
