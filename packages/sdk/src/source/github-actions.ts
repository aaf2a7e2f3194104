import { CountersignError } from '../countersign-error.ts'
import { parseJson, textOf } from '../http/read-body.ts'
import { parseSafeAddress } from '../http/safe-address.ts'
import type { Transport } from '../http/transport.ts'
import { parseTokenText } from './token-text.ts'

export interface GitHubRequest {
  /** ACTIONS_ID_TOKEN_REQUEST_URL */
  readonly url: string
  /** ACTIONS_ID_TOKEN_REQUEST_TOKEN */
  readonly token: string
  readonly audience: string
}

/** Requests the ID token of a GitHub Actions job. Throws UNSAFE_ADDRESS when the address is neither https nor loopback, and TOKEN_REFUSED. */
export async function requestGitHubToken(
  transport: Transport,
  { url, token, audience }: GitHubRequest,
): Promise<string> {
  const address = parseSafeAddress(url, 'ACTIONS_ID_TOKEN_REQUEST_URL')
  address.searchParams.set('audience', audience)
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const response = await transport.send({ method: 'GET', url: address.href, headers })
  const value = textOf(parseJson(response.text), 'value')
  if (response.isOk && value !== undefined) return parseTokenText(value, 'GitHub Actions')
  throw new CountersignError({
    code: 'TOKEN_REFUSED',
    status: response.status,
    message: `GitHub Actions issues no token: ${address.host} responds with status ${response.status}`,
    hint: 'give the job the permission "id-token: write"',
  })
}
