import type { MissingFactor } from '../../login/second-factor.ts'

/** The second factors that a session lacks, in the form that existing clients read. */
export function authQueries(missing: readonly MissingFactor[]): unknown[] {
  return missing.flatMap((factor): unknown[] => {
    if (factor.kind === 'totp') return [{ ...TOTP_QUERY, isTotpEnrolled: factor.isEnrolled }]
    return factor.signer ? [extJwtQuery(factor.signer)] : []
  })
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

interface QueriedSigner {
  readonly id: string
  readonly externalAuthUrl: string | null
  readonly clientId: string | null
  readonly scopes: readonly string[] | null
}

function extJwtQuery({ id, externalAuthUrl, clientId, scopes }: QueriedSigner) {
  return {
    typeId: 'EXT-JWT',
    provider: 'url',
    ...(externalAuthUrl !== null && { httpUrl: externalAuthUrl }),
    id,
    ...(clientId !== null && { clientId }),
    scopes,
  }
}
