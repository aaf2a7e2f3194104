import type { BenchSigner } from './bench-signer.ts'
import { buildRequest } from './build-request.ts'
import { sendOnce } from './connection.ts'
import { jwtLoginRequest } from './login-operations.ts'
import { CLIENT, MANAGEMENT, type Product } from './product.ts'

const IDENTITIES = 100

/** Returns requests for the current identity. Each has the session and the JWT that the policy requires as a second factor. */
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
  for (let number = 0; number < IDENTITIES; number++) {
    const externalId = `second-factor-${number}@bench.example`
    const identity = { name: externalId, type: 'Default', isAdmin: false, externalId, authPolicyId }
    await product.call('POST', `${MANAGEMENT}/identities`, identity)
    const jwt = signer.mint(externalId)
    const { json } = await sendOnce(product, jwtLoginRequest(jwt))
    const { token } = (json as { data: { token: string } }).data
    const headers = { authorization: `Bearer ${jwt}`, 'zt-session': token }
    requests.push(buildRequest('GET', `${CLIENT}/current-identity`, headers))
  }
  return requests
}
