import type { StoredSigner } from '../store/signer-row.ts'

/** The members of a signer with which a login in a browser begins. */
type BrowserLogin = Pick<StoredSigner, 'externalAuthUrl' | 'openIdConfigurationUrl' | 'clientId'>

const NO_LOGIN: BrowserLogin = { externalAuthUrl: null, openIdConfigurationUrl: null, clientId: null }

/**
 * How browsers log in through a signer; all null for an untrusted one. Its writer could send browsers to the provider of another signer, and
 * that provider's codes to a server of their own.
 */
export function browserLoginOf(signer: StoredSigner): BrowserLogin {
  const { trust, externalAuthUrl, openIdConfigurationUrl, clientId } = signer
  return trust.isTrusted ? { externalAuthUrl, openIdConfigurationUrl, clientId } : NO_LOGIN
}
