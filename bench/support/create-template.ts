import { type BenchSigner, createBenchSigner } from './bench-signer.ts'
import { sendOnce } from './connection.ts'
import { jwtLoginRequest } from './login-operations.ts'
import { type Installation, MANAGEMENT } from './product.ts'

/** Creates a signer, and an identity with a session, whose rows are copied. Stops the product. */
export async function createTemplate(installation: Installation): Promise<{ signer: BenchSigner; template: string }> {
  const product = await installation.start()
  const signer = await createBenchSigner(product, 'bench', 'P-256')
  const identity = { name: 'template', type: 'Default', isAdmin: false, externalId: 'template' }
  const { data } = await product.call('POST', `${MANAGEMENT}/identities`, identity)
  await sendOnce(product, jwtLoginRequest(signer.mint('template')))
  await product.stop()
  return { signer, template: (data as unknown as { id: string }).id }
}
