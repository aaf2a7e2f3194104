import { fillIdentities } from './fill-database.ts'
import { type Installation, MANAGEMENT, type Product } from './product.ts'

/** Creates one identity by the API, stops the product, and inserts `count` copies, which have the numbers from 0. */
export async function stopAndFill(product: Product, { database }: Installation, count: number): Promise<void> {
  const template = { name: 'template', type: 'Default', isAdmin: false }
  const { data } = await product.call('POST', `${MANAGEMENT}/identities`, template)
  await product.stop()
  await fillIdentities(database, (data as unknown as { id: string }).id, { from: 0, to: count })
}
