import { AppError, type SignerSettings } from '@countersign/core'
import { discoveryUrl } from '../../outbound/discovery-document.ts'
import type { AuthorizedTransaction } from '../../store/operation.ts'
import { hasTrustedSigner } from '../../store/reads/signer-reads.ts'

/**
 * Checks where a signer sends logins. A caller who is not an administrator can neither take the issuer of a trusted signer nor choose the discovery
 * document: a login at an honest provider could otherwise send its code to a server of that caller. Fails with UNAUTHORIZED.
 */
export async function authorizeLoginAddress(
  { db, actor }: AuthorizedTransaction,
  id: string,
  current: SignerSettings | undefined,
  { issuer, openIdConfigurationUrl }: SignerSettings,
): Promise<void> {
  if (actor.isAdmin) return
  const keepsIssuer = current?.issuer === issuer
  if (!keepsIssuer && (await hasTrustedSigner(db, { issuer, exceptId: id }))) {
    throw new AppError('UNAUTHORIZED', { message: 'only an administrator may use the issuer of a trusted signer' })
  }
  const keepsDocument = keepsIssuer && current.openIdConfigurationUrl === openIdConfigurationUrl
  if (keepsDocument || openIdConfigurationUrl === null || openIdConfigurationUrl === discoveryUrl(issuer)) return
  throw new AppError('UNAUTHORIZED', {
    message: 'only an administrator may set an openIdConfigurationUrl that is not the one of the issuer',
  })
}
