import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { buildExtension, der, OID } from '@countersign/core'
import {
  type JwksServer,
  type JwksServerOptions,
  makeTestCertificate,
  startJwksServer,
  type TestCertificate,
  type TestCertificateOptions,
} from '@countersign/testkit'
import { createFetchDocument, type FetchDocument, type FetcherParts } from '../../src/outbound/fetch-document.ts'
import { OutboundError, type OutboundReason } from '../../src/outbound/outbound-error.ts'
import { loadSettings, type Settings } from '../../src/platform/settings/index.ts'

const DEFAULTS = loadSettings({ flags: {}, env: {} }).settings

/** Settings that allow fetches from the servers of these tests, which are all on loopback. */
export function settingsWith(jwks: Partial<Settings['jwks']> = {}): Settings {
  const local = { allowedNetworks: ['127.0.0.0/8'], allowHttp: ['127.0.0.1', '*.test'] }
  return { ...DEFAULTS, jwks: { ...DEFAULTS.jwks, ...local, ...jwks } }
}

export const DEFAULT_SETTINGS = DEFAULTS

const JSON_ONLY = { accept: 'application/json', mediaTypes: ['application/json'] }

/** A fetch with these settings, limits and names. */
export function createFetch(parts: Partial<FetcherParts> = {}) {
  const fetchDocument = createFetchDocument({ settings: settingsWith(), ...parts })
  return (url: string, options: Partial<Parameters<FetchDocument>[1]> = {}) =>
    fetchDocument(url, { ...JSON_ONLY, ...options })
}

/** Asserts that it fails for this reason. Returns the error. */
export async function assertFails(work: Promise<unknown>, reason: OutboundReason): Promise<OutboundError> {
  const error = await work.then(
    () => assert.fail(`expected ${reason}, but it was fetched`),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof OutboundError, String(error))
  assert.equal(error.reason, reason, error.message)
  return error
}

export async function startServer(t: TestContext, options?: JwksServerOptions): Promise<JwksServer> {
  const server = await startJwksServer(options)
  t.after(() => server.close())
  return server
}

const DNS_TAG = 2
const IP_TAG = 7

export const authority: TestCertificate = makeTestCertificate({
  commonName: 'test CA',
  extensions: [buildExtension(OID.basicConstraints, der.sequence(der.boolean(true)), true)],
})

/** A server certificate for names, as their UTF-8 bytes, and for 127.0.0.1. */
export function serverCertificate(names: readonly string[], options: TestCertificateOptions = {}): TestCertificate {
  const altNames = [
    ...names.map((name) => der.implicitTag(DNS_TAG, Buffer.from(name, 'utf8'))),
    der.implicitTag(IP_TAG, Buffer.from([127, 0, 0, 1])),
  ]
  const extensions = [buildExtension(OID.subjectAltName, der.sequence(...altNames))]
  return makeTestCertificate({ commonName: 'provider', issuer: authority, extensions, ...options })
}

export function tlsOf({ pem, privateKey }: TestCertificate) {
  return { cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) }
}
