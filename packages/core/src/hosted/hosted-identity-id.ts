import { accountIdOf, isAccountIdentity } from '@countersign/contract/account-identity'
import { derivedUuid } from '../derived-uuid.ts'

/** The id of an identity in the hosted API: that of its API account, or a UUID derived from its own id. */
export function hostedIdentityId(identityId: string): string {
  return isAccountIdentity(identityId) ? accountIdOf(identityId) : derivedUuid('identity', identityId)
}
