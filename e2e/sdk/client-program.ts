import assert from 'node:assert/strict'
import { ControllerClient, CountersignError } from '@countersign/sdk'

const { BASE_URL: baseUrl = '', PASSWORD: password = '' } = process.env
const client = new ControllerClient({ baseUrl })

const isRefused = (code: string, status: number, field?: string) => (error: unknown) => {
  assert.ok(error instanceof CountersignError, String(error))
  assert.deepEqual([error.code, error.status, error.field], [code, status, field])
  return true
}

const signer = (name: string) => ({
  name,
  enabled: true,
  issuer: `https://${name}.example`,
  audience: 'edge',
  jwksEndpoint: 'http://127.0.0.1:1024/jwks',
})

const [local, ...others] = await client.listClientSigners()
assert.deepEqual([local?.name, others], ['local-provider', []])
await assert.rejects(client.signers.create(signer('one')), isRefused('UNAUTHORIZED', 401))
await assert.rejects(client.logInWithPassword('admin', 'wrong password'), isRefused('INVALID_AUTH', 401))
await client.logInWithPassword('admin', password)

const ids = [local?.id ?? '']
for (let index = 0; index < 120; index++) ids.push(await client.signers.create(signer(`s${index}`)))
const listed = []
for await (const each of client.signers.list()) listed.push(each)
assert.deepEqual(listed.map(({ id }) => id).sort(), ids.sort(), 'every item once')
assert.equal((await client.listClientSigners()).length, 121)

const [id = ''] = ids
const sameName = client.signers.create({ ...signer('s5'), issuer: 'https://other.example' })
assert.deepEqual(await sameName.catch(({ isConflict, reason }) => [isConflict, reason]), [true, 'name must be unique'])
const noName = client.signers.create({ ...signer('s5'), name: '' })
assert.equal(await noName.catch(({ isConflict }) => isConflict), false)
await assert.rejects(
  client.signers.create({ ...signer('s5'), issuer: 'https://other.example' }),
  isRefused('COULD_NOT_VALIDATE', 400, 'name'),
)
await client.signers.patch(id, { enabled: false, tags: { owner: 'iam' } })
const patched = await client.signers.get(id)
assert.deepEqual([patched.enabled, patched.tags], [false, { owner: 'iam' }])
await client.signers.replace(id, signer('replaced'))
assert.deepEqual((await client.signers.get(id)).tags, {})
await client.signers.delete(id)
await assert.rejects(client.signers.get(id), isRefused('NOT_FOUND', 404))
await client.logOut()
await assert.rejects(client.signers.get(id), isRefused('UNAUTHORIZED', 401))

const unreachable = new ControllerClient({ baseUrl: 'https://127.0.0.1:9' })
await assert.rejects(unreachable.listClientSigners(), isRefused('NETWORK', 0))
console.log('done')
