import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ControllerClient } from '@countersign/sdk'
import { startServer } from './local-server.ts'

const FINE = { json: { data: { id: 'me', token: 'fresh' }, meta: {} } }

/** An unsigned token that ends in so many seconds. */
function tokenOf(name: string, seconds: number): string {
  const claims = { sub: name, exp: Math.floor(Date.now() / 1000) + seconds }
  return `e.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${name}`
}

test('the second token is asked for when the last one nears its end, once for many calls, and sent on every call', async (t) => {
  const server = await startServer(t, () => FINE)
  const given = [tokenOf('dying', 20), tokenOf('living', 600), tokenOf('unused', 600)]
  let asked = 0
  const client = new ControllerClient({
    baseUrl: server.url,
    session: 's',
    secondaryToken: async () => given[asked++] ?? '',
  })
  for (let call = 0; call < 2; call++) await client.currentIdentity()
  await Promise.all([client.currentIdentity(), client.summary(), client.signers.get('x')])
  assert.equal(asked, 2)
  const sent = server.seen.map(({ headers }) => [headers['zt-session'], headers.authorization])
  const living = ['s', `Bearer ${given[1]}`]
  assert.deepEqual(sent, [['s', `Bearer ${given[0]}`], living, living, living, living])
})

test('a supplier that fails fails the call, and is asked again by the next one', async (t) => {
  const server = await startServer(t, () => FINE)
  let asked = 0
  const secondaryToken = async () => {
    if (asked++ === 0) throw new Error('no provider')
    return tokenOf('living', 600)
  }
  const client = new ControllerClient({ baseUrl: server.url, session: 's', secondaryToken })
  await assert.rejects(client.currentIdentity(), /no provider/)
  assert.equal((await client.currentIdentity()).id, 'me')
})

test('anonymous calls show neither session nor second token; a login shows no session', async (t) => {
  const server = await startServer(t, () => FINE)
  const client = new ControllerClient({ baseUrl: server.url, session: 'old', secondaryToken: tokenOf('a', 600) })
  await client.version()
  await client.listClientSigners()
  await client.enrollment.toToken('jwt')
  await client.logInWithJwt('primary')
  const shown = server.seen.map(({ headers }) => [headers['zt-session'], headers.authorization])
  assert.deepEqual(shown, [
    [undefined, undefined],
    [undefined, undefined],
    [undefined, 'Bearer jwt'],
    [undefined, 'Bearer primary'],
  ])
  assert.equal(client.session, 'fresh')
})

test('a session that is refused is renewed once where that is possible', async (t) => {
  const server = await startServer(t, ({ headers }) =>
    headers['zt-session'] === 'new' ? FINE : { status: 401, json: { error: { code: 'UNAUTHORIZED' } } },
  )
  let renewed = 0
  const renewSession = async () => {
    renewed++
    return 'new'
  }
  const client = new ControllerClient({ baseUrl: server.url, session: 'old', renewSession })
  await Promise.all([client.currentIdentity(), client.summary()])
  assert.equal(client.session, 'new')
  const other = new ControllerClient({ baseUrl: server.url, session: 'old', renewSession: async () => 'worse' })
  await assert.rejects(other.currentIdentity(), { status: 401, code: 'UNAUTHORIZED' })
  await assert.rejects(new ControllerClient({ baseUrl: server.url, session: 'old' }).summary(), { status: 401 })
  assert.equal(renewed, 1)
})
