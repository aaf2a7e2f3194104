import assert from 'node:assert/strict'
import { create, detailOf, jwksBody, SIGNERS, testWithApp } from './ext-jwt-signers.fixture.ts'

const WARNING = '299 - "the member requiredClaim is unknown and was ignored: did you mean requiredClaims?"'
const TEXT = 'the member requiredClaim is unknown and was ignored: did you mean requiredClaims?'
const MISSPELT = { requiredClaim: { '/hd': 'acme.example' } }

testWithApp('D53 a misspelt security member of a signer is ignored, and reported', async (t, app) => {
  const warningsOf = async (id: string): Promise<string[]> => (await detailOf(app, id)).keyStatus.warnings

  await t.test('D53 in the header and in the warnings, until the next correct write', async () => {
    const made = await app.admin('POST', SIGNERS, jwksBody(MISSPELT))
    assert.deepEqual([made.status, made.headers.warning], [201, WARNING])
    const { id } = made.json.data
    assert.deepEqual(await warningsOf(id), [TEXT])
    assert.equal((await detailOf(app, id)).requiredClaims, null)

    const correct = await app.admin('PATCH', `${SIGNERS}/${id}`, { requiredClaims: { '/hd': 'acme.example' } })
    assert.deepEqual([correct.status, correct.headers.warning], [200, undefined])
    assert.deepEqual(await warningsOf(id), [])
  })

  await t.test('D53 by PATCH and PUT too, also when nothing else is written', async () => {
    for (const method of ['PATCH', 'PUT']) {
      const body = jwksBody()
      const id = await create(app, body)
      const sent = method === 'PATCH' ? MISSPELT : { ...body, ...MISSPELT }
      const reply = await app.admin(method, `${SIGNERS}/${id}`, sent)
      assert.deepEqual([reply.status, reply.headers.warning], [200, WARNING])
      assert.deepEqual(await warningsOf(id), [TEXT], method)
    }
  })

  await t.test('D53 but not a whole detail that is sent back, other unknown members, and refused bodies', async () => {
    const id = await create(app)
    const whole = await detailOf(app, id)
    const back = await app.admin('PUT', `${SIGNERS}/${id}`, { ...whole, tag: {}, somethingElse: 1 })
    assert.deepEqual([back.status, back.headers.warning], [200, undefined])
    assert.deepEqual(await warningsOf(id), [])
    const refused = await app.admin('PATCH', `${SIGNERS}/${id}`, { ...MISSPELT, issuer: '' })
    assert.deepEqual([refused.status, refused.headers.warning], [400, undefined])
    assert.deepEqual(await warningsOf(id), [])
  })
})
