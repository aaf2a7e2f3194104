import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import {
  ControllerClient,
  type ControllerClientOptions,
  type EnrolledCertificate,
  exportPrivateKey,
} from '@countersign/sdk'
import { createNodeFetch } from '@countersign/sdk/node'
import { createControllerStage } from '@countersign/testkit'

/** A real controller with the local provider, and clients that trust only its CA. */
export async function createSdkStage(t: TestContext) {
  const controller = await createControllerStage(t).start({ args: ['--dev'] })
  const { baseUrl, caFile, admin, identityProviderUrl, dataDir } = controller.ready
  const ca = readFileSync(caFile, 'utf8')
  const fetch = createNodeFetch({ ca, onlyCa: true })
  const client = (options: Partial<ControllerClientOptions> = {}) =>
    new ControllerClient({ baseUrl, fetch, ...options })

  const administrator = async (): Promise<ControllerClient> => {
    const created = client()
    await created.logInWithPassword(admin.username, admin.password ?? '')
    return created
  }
  /** A token of a person of the local provider. */
  const tokenOf = async (person: string): Promise<string> => {
    const body = new URLSearchParams({ person })
    const response = await globalThis.fetch(`${identityProviderUrl}/dev/token`, { method: 'POST', body })
    assert.equal(response.status, 200)
    return ((await response.json()) as { access_token: string }).access_token
  }
  /** A client whose connections present this certificate. */
  const certified = async (
    { certificate, keys }: EnrolledCertificate,
    options: Partial<ControllerClientOptions> = {},
  ): Promise<ControllerClient> => {
    const key = await exportPrivateKey(keys)
    return client({ ...options, fetch: createNodeFetch({ ca, onlyCa: true, cert: certificate, key }) })
  }
  return { baseUrl, dataDir, fetch, admin, client, administrator, tokenOf, certified }
}
