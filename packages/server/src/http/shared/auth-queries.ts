import type { MissingFactor } from '../../login/second-factor.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import { browserLoginOf } from '../../token/browser-login.ts'

/** The second factors that a session lacks, in the form that existing clients read. */
export function authQueries(missing: readonly MissingFactor[]): unknown[] {
  return missing.flatMap((factor): unknown[] => {
    if (factor.kind === 'totp') return [{ ...TOTP_QUERY, isTotpEnrolled: factor.isEnrolled }]
    if (factor.kind === 'passkey') return [{ ...PASSKEY_QUERY, isPasskeyEnrolled: factor.isEnrolled }]
    if (factor.kind === 'rule') return []
    const query = factor.signer ? extJwtQuery(factor.signer) : undefined
    if (factor.kind === 'ext-jwt') return query ? [query] : []
    const { requireAcr, requireAmr, maxAuthAgeSeconds } = factor.requirements
    const requirements = { acrValues: requireAcr, amrValues: requireAmr, maxAge: maxAuthAgeSeconds }
    return [
      { typeId: 'EXT-JWT', provider: 'url', ...query, error: 'insufficient_user_authentication', ...requirements },
    ]
  })
}

/** The second factors that a login by the OpenID provider lacks. */
export function oidcAuthQueries(missing: readonly MissingFactor[]): unknown[] {
  return missing.flatMap((factor): unknown[] => {
    if (factor.kind !== 'totp') return authQueries([factor])
    return [{ ...OIDC_TOTP_QUERY, ...(factor.isEnrolled && { isTotpEnrolled: true }) }]
  })
}

const OIDC_TOTP_QUERY = {
  typeId: 'TOTP',
  provider: 'ziti',
  format: 'numeric',
  httpMethod: 'POST',
  httpUrl: './oidc/login/totp',
  minLength: 6,
  maxLength: 8,
  scopes: null,
}

const TOTP_QUERY = {
  typeId: 'MFA',
  provider: 'ziti',
  format: 'alphaNumeric',
  httpMethod: 'POST',
  httpUrl: './authenticate/mfa',
  minLength: 4,
  maxLength: 6,
  scopes: null,
}

const PASSKEY_QUERY = {
  typeId: 'PASSKEY',
  provider: 'ziti',
  httpMethod: 'POST',
  httpUrl: './authenticate/passkey',
  scopes: null,
}

function extJwtQuery(signer: StoredSigner) {
  const { id, scopes } = signer
  const { externalAuthUrl, clientId } = browserLoginOf(signer)
  return {
    typeId: 'EXT-JWT',
    provider: 'url',
    ...(externalAuthUrl !== null && { httpUrl: externalAuthUrl }),
    id,
    ...(clientId !== null && { clientId }),
    scopes,
  }
}
