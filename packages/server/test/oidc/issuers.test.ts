import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildExtension, der, OID } from '@countersign/core'
import { makeTestCertificate } from '@countersign/testkit'
import { Issuers } from '../../src/oidc/issuers.ts'

const names = der.sequence(
  der.implicitTag(2, Buffer.from('ctrl.example')),
  der.implicitTag(2, Buffer.from('*.wild.example')),
  der.implicitTag(7, Buffer.from([10, 0, 0, 7])),
  der.implicitTag(7, Buffer.from([...Buffer.alloc(15), 1])),
)
const { pem } = makeTestCertificate({ extensions: [buildExtension(OID.subjectAltName, names)] })
const issuers = new Issuers({
  addresses: () => ['public.example:443', 'ctrl.internal:8441'],
  serverIdentity: () => ({ certificatePem: pem, fingerprint: 'a' }),
})

test('W-73 an issuer is an advertised address, or a name of the certificate at a port that is advertised or listened on', () => {
  const found: readonly (readonly [host: string, localPort: number | undefined, issuer: string | undefined])[] = [
    ['public.example', undefined, 'https://public.example/oidc'],
    ['PUBLIC.example:443', undefined, 'https://public.example/oidc'],
    ['public.example:8441', undefined, undefined],
    ['ctrl.internal:8441', undefined, 'https://ctrl.internal:8441/oidc'],
    ['ctrl.example:8441', undefined, 'https://ctrl.example:8441/oidc'],
    ['ctrl.example', undefined, 'https://ctrl.example/oidc'],
    ['ctrl.example:1280', undefined, undefined],
    ['ctrl.example:1280', 1280, 'https://ctrl.example:1280/oidc'],
    ['ctrl.example:1280', 1281, undefined],
    ['10.0.0.7:1280', 1280, 'https://10.0.0.7:1280/oidc'],
    ['[::1]:1280', 1280, 'https://[::1]:1280/oidc'],
    ['a.wild.example:1280', 1280, undefined],
    ['*.wild.example:1280', 1280, undefined],
    ['other.example:1280', 1280, undefined],
    ['user@ctrl.example:1280', 1280, undefined],
    ['ctrl.example:1280/x', 1280, undefined],
    ['', 1280, undefined],
  ]
  for (const [host, localPort, issuer] of found) assert.equal(issuers.find(host, localPort), issuer, host)
})
