import type { ControllerClient, SignerChanges } from '@countersign/sdk'

/** Appends a test case to those of a signer. The save runs all of them. */
export async function addTestCase({ signers }: ControllerClient, signerId: string, added: object): Promise<void> {
  const { item, version } = await signers.getVersioned(signerId)
  const testCases = [...item.testCases, added] as SignerChanges['testCases']
  await signers.patch(signerId, { testCases }, { ifMatch: version })
}
