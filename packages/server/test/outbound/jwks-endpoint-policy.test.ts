import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@countersign/core'
import { createJwksEndpointPolicy } from '../../src/outbound/jwks-endpoint-policy.ts'
import { loadSettings } from '../../src/platform/settings/index.ts'

/** `settings` by the names of their environment variables without the common prefix. */
function policyOf(settings: Record<string, string> = {}, dev = false) {
  const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`COUNTERSIGN_JWKS_${name}`, value]))
  return createJwksEndpointPolicy(loadSettings({ flags: { dev }, env }).settings)
}

/** The reason why an endpoint is refused, or `ok`. */
function refusalOf(policy: ReturnType<typeof policyOf>, endpoint: string): string {
  try {
    policy.checkEndpoint(endpoint)
    return 'ok'
  } catch (error) {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'INVALID_FIELD')
    return error.message
  }
}

const strict = policyOf()
const refused = (endpoint: string, word: string, policy = strict) => {
  const message = refusalOf(policy, endpoint)
  assert.ok(message !== 'ok' && message.includes(word), `${endpoint}: ${message}`)
}
const accepted = (endpoint: string, policy = strict) => assert.equal(refusalOf(policy, endpoint), 'ok', endpoint)

test('W-36 G-01 only web addresses can be fetched, and http only where a setting allows it', () => {
  for (const endpoint of [
    'file:///etc/passwd',
    'ftp://idp.example/keys',
    'gopher://idp.example/',
    'data:application/json,{}',
    'blob:https://idp.example/x',
    'unix:/run/x.sock',
    'mailto:a@idp.example',
    'javascript:1',
  ]) {
    refused(endpoint, 'only https and http')
  }
  for (const endpoint of ['idp.example/keys', '/keys', '//idp.example/keys', 'https://', ''])
    refused(endpoint, 'not an absolute URL')
  refused('http:///keys', 'no host')
  refused('https:idp.example', 'no host')
  refused('http://idp.example/keys', 'jwks.allowHttp')
  accepted('https://idp.example/keys')
  accepted('HTTPS://idp.example/keys')
  const lenient = policyOf({ ALLOW_HTTP: 'idp.example,*.corp.example' })
  accepted('http://idp.example/keys', lenient)
  accepted('http://a.b.corp.example/keys', lenient)
  refused('http://corp.example/keys', 'jwks.allowHttp', lenient)
  refused('http://other.example/keys', 'jwks.allowHttp', lenient)
})

test('W-37 a host name is accepted without a DNS look-up', () => {
  for (const host of ['idp.example', 'a-b.c.example:8443', 'xn--bcher-kva.example', 'bücher.example', 'keys'])
    accepted(`https://${host}/keys`)
})

test('W-35 W-38 G-02 metadata services are never fetched from, whatever the settings', () => {
  const open = policyOf({ ALLOW_PRIVATE_ADDRESSES: 'true', ALLOWED_NETWORKS: '0.0.0.0/0,::/0' })
  for (const host of [
    '169.254.169.254',
    '169.254.170.2',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '168.63.129.16',
    'metadata.google.internal',
    'metadata.google.internal.',
    'METADATA',
  ]) {
    for (const policy of [strict, open]) refused(`https://${host}/keys`, 'metadata', policy)
  }
  accepted('https://169.253.1.1/keys')
  accepted('https://metadata.idp.example/keys')
})

test('W-38 W-39 G-03 private and reserved addresses are refused, with the setting that opens the private ones', () => {
  const closable = [
    '127.0.0.1',
    '127.8.9.1',
    '[::1]',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '[fc00::1]',
    '[fd12::1]',
    '[fec0::1]',
  ]
  const never = [
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '239.1.1.1',
    '192.0.0.8',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[fe80::1]',
    '[ff02::1]',
  ]
  const open = policyOf({ ALLOW_PRIVATE_ADDRESSES: 'true' })
  const local = policyOf({ ALLOW_LOOPBACK: 'true' })
  for (const host of closable) {
    const [opening, other] = host.startsWith('127.') || host === '[::1]' ? [local, open] : [open, local]
    refused(`https://${host}/keys`, 'jwks.allowedNetworks')
    refused(`https://${host}/keys`, 'jwks.allowedNetworks', other)
    accepted(`https://${host}/keys`, opening)
  }
  for (const host of never) for (const policy of [strict, open]) refused(`https://${host}/keys`, 'reserved', policy)
  for (const host of [
    '8.8.8.8',
    '11.0.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '192.167.1.1',
    '[2606:4700::1]',
  ]) {
    accepted(`https://${host}/keys`)
  }
  const one = policyOf({
    ALLOWED_NETWORKS: '10.1.0.0/16,fd12::/32',
    DENIED_NETWORKS: '10.1.9.0/24,8.8.8.0/24',
  })
  accepted('https://10.1.2.3/keys', one)
  accepted('https://[fd12::7]/keys', one)
  refused('https://10.2.2.3/keys', 'jwks.allowedNetworks', one)
  refused('https://10.1.9.3/keys', 'jwks.deniedNetworks', one)
  refused('https://8.8.8.8/keys', 'jwks.deniedNetworks', one)
})

test('G-04 W-38 every spelling of an address is recognised', () => {
  for (const host of [
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0x7f000001',
    '127.0.0.1.',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'localhost\u3002',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:0:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
  ]) {
    refused(`https://${host}/keys`, 'loopback')
  }
  for (const host of [
    '\u2460\u2465\u2468.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b::169.254.169.254]',
    '[2002:a9fe:a9fe::]',
    '[64:ff9b:1::a9fe:a9fe]',
    '[2001:0:a9fe:a9fe::]',
    '[::2]',
  ]) {
    refused(`https://${host}/keys`, 'metadata')
  }
  for (const host of ['[64:ff9b::808:808]', '[2002:808:808::]', '[::ffff:8.8.8.8]', '134744072'])
    accepted(`https://${host}/keys`)
})

test('G-09 an endpoint contains no credentials', () => {
  for (const endpoint of ['https://u:p@idp.example/', 'https://u@idp.example/', 'https://:p@idp.example/'])
    refused(endpoint, 'user name')
  for (const name of ['access_token', 'api_key', 'Client_Secret', 'token', 'password']) {
    refused(`https://idp.example/keys?x=1&${name}=abc`, 'secret')
  }
  accepted('https://idp.example/keys?appid=1234&p=b2c_1_signin')
  accepted('https://idp.example/@u/keys')
})

test('G-10 ports of other services are refused, unless the setting names the exact port', () => {
  for (const port of [22, 25, 6379, 0, 79, 444, 1023, 5432])
    refused(`https://idp.example:${port}/`, 'jwks.allowedPorts')
  refused('https://idp.example:65536/', 'not an absolute URL')
  for (const port of [80, 443, 1024, 8443, 65535]) accepted(`https://idp.example:${port}/`)
  const narrow = policyOf({ ALLOWED_PORTS: '443,6379,9000-9999' })
  accepted('https://idp.example:6379/', narrow)
  accepted('https://idp.example:9000/', narrow)
  refused('https://idp.example:9042/', 'jwks.allowedPorts', narrow)
  refused('https://idp.example:8443/', 'jwks.allowedPorts', narrow)
})

test('G-11 a text that the parser would have to correct is refused', () => {
  for (const endpoint of [
    'https://idp.example/\r\nx',
    'https://idp.example/a b',
    ' https://idp.example/',
    'https://idp.example/\t',
    'https://idp.example\\@evil.example/',
    'https:\\\\idp.example/',
    'https://idp\u200b.example/',
    'https://idp.example/\u202e',
    'https://idp.example/\u0000',
    'https://idp.example/\u00a0',
  ]) {
    refused(endpoint, 'it contains')
  }
  for (const endpoint of ['https://idp.example/#keys', 'https://idp.example/#']) refused(endpoint, 'fragment')
  accepted('https://idp.example/a%20b')
})

test('W-40 host lists match by label and in any case; denied hosts stay denied', () => {
  const only = policyOf({ ALLOWED_HOSTS: 'idp.example,*.corp.example', DENIED_HOSTS: 'bad.corp.example' })
  for (const host of ['idp.example', 'IDP.EXAMPLE', 'idp.example.', 'a.corp.example', 'x.y.corp.example'])
    accepted(`https://${host}/`, only)
  for (const host of [
    'corp.example',
    'evilcorp.example',
    'idp.example.evil',
    'other.example',
    '8.8.8.8',
    '[2606:4700::1]',
  ]) {
    refused(`https://${host}/`, 'jwks.allowedHosts', only)
  }
  refused('https://BAD.corp.example./', 'jwks.deniedHosts', only)
  const listed = policyOf({ ALLOWED_HOSTS: '169.254.169.254,10.0.0.1,8.8.8.8' })
  refused('https://169.254.169.254/', 'metadata', listed)
  refused('https://10.0.0.1/', 'jwks.allowedNetworks', listed)
  accepted('https://8.8.8.8/', listed)
})

test('G-03 in development mode only a provider on this machine may use http', () => {
  const dev = policyOf({}, true)
  for (const host of ['127.0.0.1:38903', 'localhost:9000', '[::1]:9000', '127.0.0.2:9000']) {
    accepted(`http://${host}/keys`, dev)
    refused(`https://${host}/keys`, 'loopback')
  }
  refused('http://idp.example/keys', 'jwks.allowHttp', dev)
  refused('https://10.0.0.1/keys', 'jwks.allowedNetworks', dev)
})
