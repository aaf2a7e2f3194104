import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ControllerClient } from '@countersign/sdk'
import { startServer } from './local-server.ts'

const OK = { json: { data: { id: 'me', token: 'fresh' }, meta: {} } }

/** An unsigned token that expires in `seconds`. */
function tokenOf(name: string, seconds: number): string {
  const claims = { sub: name, exp: Math.floor(Date.now() / 1000) + seconds }
  return `e.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${name}`
}

test('the second token is requested shortly before the last one expires, once for concurrent calls, and sent on every call', async (t) => {
  const server = await startServer(t, () => OK)
  const tokens = [tokenOf('expiring', 20), tokenOf('valid', 600), tokenOf('unused', 600)]
  let supplied = 0
  const client = new ControllerClient({
    baseUrl: server.url,
    session: 's',
    secondaryToken: async () => tokens[supplied++] ?? '',
  })
  for (let call = 0; call < 2; call++) await client.currentIdentity()
  await Promise.all([client.currentIdentity(), client.summary(), client.signers.get('x')])
  assert.equal(supplied, 2)
  const sent = server.seen.map(({ headers }) => [headers['zt-session'], headers.authorization])
  const valid = ['s', `Bearer ${tokens[1]}`]
  assert.deepEqual(sent, [['s', `Bearer ${tokens[0]}`], valid, valid, valid, valid])
})

test('a failing supplier fails the call, and is called again by the next one', async (t) => {
  const server = await startServer(t, () => OK)
  let supplied = 0
  const secondaryToken = async () => {
    if (supplied++ === 0) throw new Error('no provider')
    return tokenOf('valid', 600)
  }
  const client = new ControllerClient({ baseUrl: server.url, session: 's', secondaryToken })
  await assert.rejects(client.currentIdentity(), /no provider/)
  assert.equal((await client.currentIdentity()).id, 'me')
})

test('anonymous calls send neither session nor second token; a login sends no session', async (t) => {
  const server = await startServer(t, () => OK)
  const client = new ControllerClient({ baseUrl: server.url, session: 'old', secondaryToken: tokenOf('a', 600) })
  await client.version()
  await client.listClientSigners()
  await client.enrollment.toToken('jwt')
  await client.logInWithJwt('primary')
  const sent = server.seen.map(({ headers }) => [headers['zt-session'], headers.authorization])
  assert.deepEqual(sent, [
    [undefined, undefined],
    [undefined, undefined],
    [undefined, 'Bearer jwt'],
    [undefined, 'Bearer primary'],
  ])
  assert.equal(client.session, 'fresh')
})

test('a renewal of the own certificate sends a request for new keys, and the token beside the session', async (t) => {
  const server = await startServer(t, () => ({ json: { data: { clientCert: 'new', ca: 'ca' }, meta: {} } }))
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  const { certificate, ca, keys } = await client.ownCertificates.renew('a/b', { token: 'jwt' })
  assert.deepEqual([certificate, ca, keys.privateKey.type], ['new', 'ca', 'private'])
  await client.ownCertificates.confirm('a/b', certificate)
  await client.ownCertificates.renew('a', { keys })
  const own = '/edge/client/v1/current-identity/authenticators'
  assert.deepEqual(
    server.seen.map(({ path, headers }) => [path, headers['zt-session'], headers.authorization]),
    [
      [`${own}/a%2Fb/extend`, 's', 'Bearer jwt'],
      [`${own}/a%2Fb/extend-verify`, 's', undefined],
      [`${own}/a/extend`, 's', undefined],
    ],
  )
})

test('a refused session is renewed once if possible', async (t) => {
  const server = await startServer(t, ({ headers }) =>
    headers['zt-session'] === 'new' ? OK : { status: 401, json: { error: { code: 'UNAUTHORIZED' } } },
  )
  let renewed = 0
  const renewSession = async () => {
    renewed++
    return 'new'
  }
  const client = new ControllerClient({ baseUrl: server.url, session: 'old', renewSession })
  await Promise.all([client.currentIdentity(), client.summary()])
  assert.equal(client.session, 'new')
  const other = new ControllerClient({ baseUrl: server.url, session: 'old', renewSession: async () => 'also refused' })
  await assert.rejects(other.currentIdentity(), { status: 401, code: 'UNAUTHORIZED' })
  await assert.rejects(new ControllerClient({ baseUrl: server.url, session: 'old' }).summary(), { status: 401 })
  assert.equal(renewed, 1)
})
