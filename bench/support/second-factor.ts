import type { BenchSigner } from './bench-signer.ts'
import { askOnce } from './connection.ts'
import { http } from './http.ts'
import { signIn } from './login-operations.ts'
import { CLIENT, MANAGEMENT, type Product } from './product.ts'

const PEOPLE = 100

/** Requests for the current identity of people who must bring a token with each call: their session and their token. */
export async function prepareSecondFactor(product: Product, signer: BenchSigner): Promise<string[]> {
  const policy = {
    name: 'with a second factor',
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: true, allowedSigners: [] },
      updb: {
        allowed: false,
        lockoutDurationMinutes: 0,
        maxAttempts: 5,
        minPasswordLength: 5,
        requireMixedCase: false,
        requireNumberChar: false,
        requireSpecialChar: false,
      },
    },
    secondary: { requireTotp: false, requireExtJwtSigner: signer.id },
  }
  const { data } = await product.call('POST', `${MANAGEMENT}/auth-policies`, policy)
  const authPolicyId = (data as unknown as { id: string }).id
  const requests: string[] = []
  for (let number = 0; number < PEOPLE; number++) {
    const externalId = `careful-${number}@bench.example`
    const identity = { name: externalId, type: 'Default', isAdmin: false, externalId, authPolicyId }
    await product.call('POST', `${MANAGEMENT}/identities`, identity)
    const jwt = signer.mint(externalId)
    const { json } = await askOnce(product, signIn(jwt))
    const { token } = (json as { data: { token: string } }).data
    const headers = { authorization: `Bearer ${jwt}`, 'zt-session': token }
    requests.push(http('GET', `${CLIENT}/current-identity`, headers))
  }
  return requests
}
