import 'reflect-metadata'
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { before, describe, it } from 'node:test'
import * as peculiar from '@peculiar/x509'
import { buildSpiffeUri, findHostAltName } from './alt-name.ts'
import { buildCertificate, ISSUER_SIGNATURE_ALGORITHM } from './build-certificate.ts'
import { buildCertsOnlyPkcs7 } from './build-certs-only-pkcs7.ts'
import * as extensions from './build-extensions.ts'
import { buildTbsCertificate } from './build-tbs-certificate.ts'
import { type CertificatePlan, type CertificateRequest, createSerial, planCertificate } from './certificate-plan.ts'
import { CERTIFICATE_PROFILES } from './certificate-profiles.ts'
import { checkCertificate } from './check-certificate.ts'
import { readDer } from './der-reader.ts'
import * as der from './der-writer.ts'
import { buildName } from './distinguished-name.ts'
import { type CertificateIssuer, createIssuer, issueCertificate, issueSelfSigned } from './issue-certificate.ts'
import { OID } from './object-identifiers.ts'
import { parseCertificate } from './parse-certificate.ts'
import { formatPem } from './pem.ts'
import { readSignerCertificate } from './read-certificate.ts'
import { createSigner, signCertificate } from './sign-certificate.ts'

const NOW = new Date('2026-03-01T12:00:00.500Z')
const DAY_MS = 86_400_000

const rootKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const intermediateKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const serverKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const rootRequest: CertificateRequest = {
  profile: 'rootCa',
  subject: { commonName: 'Test Root CA', organization: 'Countersign' },
  publicKey: rootKeys.publicKey,
  altNames: [buildSpiffeUri('test-domain')],
}
const serverRequest: CertificateRequest = {
  profile: 'tlsServer',
  subject: { commonName: 'Test Controller' },
  publicKey: serverKeys.publicKey,
  altNames: [
    ...['localhost', 'ctrl.example.test', '127.0.0.1', '::1', '2001:db8::7'].flatMap(
      (host) => findHostAltName(host) ?? [],
    ),
    buildSpiffeUri('test-domain', 'controller', 'one'),
  ],
}

let root: Buffer
let intermediate: Buffer
let server: Buffer
let issuer: CertificateIssuer

describe('issueCertificate', () => {
  before(async () => {
    root = await issueSelfSigned(rootRequest, createSigner(rootKeys.privateKey), NOW)
    intermediate = await issueCertificate(
      {
        ...rootRequest,
        profile: 'intermediateCa',
        subject: { commonName: 'Test CA' },
        publicKey: intermediateKeys.publicKey,
      },
      createIssuer(root, createSigner(rootKeys.privateKey)),
      NOW,
    )
    issuer = createIssuer(intermediate, createSigner(intermediateKeys.privateKey))
    server = await issueCertificate(serverRequest, issuer, NOW)
  })

  it('issues a chain that node:crypto verifies link by link', () => {
    const [first, second, third] = [root, intermediate, server].map((der) => new X509Certificate(der))
    assert.ok(first && second && third)
    assert.ok(first.verify(first.publicKey) && second.verify(first.publicKey) && third.verify(second.publicKey))
    assert.ok(first.checkIssued(first) && second.checkIssued(first) && third.checkIssued(second))
    assert.ok(!third.verify(first.publicKey))
    assert.deepEqual([first.ca, second.ca, third.ca], [true, true, false])
    assert.deepEqual(third.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  })

  it('the server certificate has exactly the requested names', () => {
    const certificate = new X509Certificate(server)
    assert.equal(
      certificate.subjectAltName,
      'DNS:localhost, DNS:ctrl.example.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, ' +
        'IP Address:2001:DB8:0:0:0:0:0:7, URI:spiffe://test-domain/controller/one',
    )
    assert.ok(certificate.checkHost('ctrl.example.test') && certificate.checkIP('2001:db8::7'))
    assert.ok(!certificate.checkHost('other.example.test'))
    assert.equal(new X509Certificate(root).subject, 'O=Countersign\nCN=Test Root CA')
  })

  it('issues certificates that an independent library parses and verifies', async () => {
    const [first, second, third] = [root, intermediate, server].map((der) => new peculiar.X509Certificate(der))
    assert.ok(first && second && third)
    const chain = await new peculiar.X509ChainBuilder({ certificates: [first, second] }).build(third)
    assert.equal(chain.length, 3)
    assert.ok(await third.verify({ publicKey: await second.publicKey.export(), date: NOW }))
    assert.deepEqual(constraints(first), { ca: true, pathLength: 1, critical: true })
    assert.deepEqual(constraints(second), { ca: true, pathLength: 0, critical: true })
    assert.deepEqual(constraints(third), { ca: false, pathLength: undefined, critical: true })
    const caUsage = peculiar.KeyUsageFlags.keyCertSign | peculiar.KeyUsageFlags.cRLSign
    assert.equal(first.getExtension(peculiar.KeyUsagesExtension)?.usages, caUsage)
    assert.equal(third.getExtension(peculiar.KeyUsagesExtension)?.usages, peculiar.KeyUsageFlags.digitalSignature)
    assert.equal(third.getExtension(peculiar.KeyUsagesExtension)?.critical, true)
    assert.equal(keyIdOf(second), third.getExtension(peculiar.AuthorityKeyIdentifierExtension)?.keyId)
    assert.notEqual(keyIdOf(second), keyIdOf(third))
  })

  it('is valid from five minutes ago, for the lifetime of the profile', () => {
    const certificate = new X509Certificate(server)
    assert.equal(certificate.validFromDate.toISOString(), '2026-03-01T11:55:00.000Z')
    assert.equal(certificate.validToDate.getTime(), Date.parse('2026-03-01T12:00:00Z') + 365 * DAY_MS)
    assert.ok(new X509Certificate(intermediate).validToDate < new Date(new X509Certificate(root).validTo))
  })

  it('J-15 never outlives its issuer, and is backdated for clocks that are behind', async () => {
    const late = new Date(NOW.getTime() + 3500 * DAY_MS)
    const lateServer = parseCertificate(await issueCertificate(serverRequest, issuer, late))
    assert.equal(lateServer.notAfter.getTime(), parseCertificate(intermediate).notAfter.getTime())
    const backThen = new Date(NOW.getTime() - 3_600_000)
    const early = parseCertificate(await issueCertificate(serverRequest, issuer, backThen))
    assert.ok(early.notBefore <= backThen)
    assert.equal(early.notAfter.getTime(), Math.floor(backThen.getTime() / 1000) * 1000 + 365 * DAY_MS)
  })

  it('does not sign with an expired issuer', async () => {
    const afterwards = new Date(parseCertificate(intermediate).notAfter.getTime() + 1000)
    await assert.rejects(issueCertificate(serverRequest, issuer, afterwards), /has not expired/)
  })

  it('J-16 serials are distinct, positive and have 16 octets', () => {
    const count = 1_000_000
    const serials = Buffer.alloc(count * 16)
    for (let at = 0; at < serials.length; at += 16) {
      const serial = createSerial()
      if (serial.length !== 16 || (serial[0] ?? 0xff) >= 0x80 || serial[0] === 0) assert.fail(serial.toString('hex'))
      serial.copy(serials, at)
    }
    // The second half alone, 64 bits, is unique.
    const halves = new BigUint64Array(serials.buffer).filter((_, index) => index % 2 === 1).sort()
    assert.ok(halves.every((half, index) => half !== halves[index - 1]))
    assert.match(new X509Certificate(server).serialNumber, /^[4-7][0-9A-F]{31}$/)
  })

  it('its certificates can be read as signer certificates', () => {
    const read = readSignerCertificate(formatPem('CERTIFICATE', server))
    assert.equal(read.commonName, 'Test Controller')
    assert.equal(read.fingerprintSha1, createHash('sha1').update(server).digest('hex'))
    assert.equal(read.signatureAlgorithm, 'ECDSA-SHA256')
  })
})

describe('checkCertificate', () => {
  it('refuses bytes that differ from the plan in one member', () => {
    const plan = planCertificate(serverRequest, undefined, NOW)
    checkCertificate(buildCertificate(plan), plan, NOW)
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    const otherInfo = other.export({ format: 'der', type: 'spki' })
    const issuerFacts = {
      name: Buffer.from('3000', 'hex'),
      publicKey: other,
      publicKeyInfo: otherInfo,
      notAfter: plan.notAfter,
    }
    const changes: Record<string, [Partial<CertificatePlan>, RegExp]> = {
      serial: [{ serial: createSerial() }, /serial is the planned/],
      'short serial': [{ serial: Buffer.from([1, 2, 3]) }, /8 to 20 bytes/],
      notBefore: [{ notBefore: new Date(plan.notBefore.getTime() - 1000) }, /dates/],
      'not yet valid': [{ notBefore: new Date(NOW.getTime() + 60_000) }, /is already valid/],
      notAfter: [{ notAfter: new Date(plan.notAfter.getTime() + 1000) }, /dates/],
      subject: [{ subject: { commonName: 'admin' } }, /subject/],
      organization: [{ subject: { commonName: 'Test Controller', organization: 'system' } }, /subject/],
      key: [{ publicKeyInfo: otherInfo }, /the key is the planned one/],
      profile: [{ profile: 'rootCa' }, /no other extension/],
      issuer: [{ issuer: issuerFacts }, /issuer is the planned one/],
      'one name more': [{ altNames: [...plan.altNames, buildSpiffeUri('evil')] }, /alternative names/],
      'one name less': [{ altNames: plan.altNames.slice(1) }, /alternative names/],
    }
    for (const [title, [change, rule]] of Object.entries(changes)) {
      assert.throws(
        () => checkCertificate(buildCertificate({ ...plan, ...change }), pick(title, plan, change), NOW),
        rule,
        title,
      )
    }
  })

  it('refuses a CA certificate where an end-entity certificate was planned', () => {
    const caPlan = planCertificate({ ...rootRequest, profile: 'intermediateCa' }, undefined, NOW)
    checkCertificate(buildCertificate(caPlan), caPlan, NOW)
    assert.throws(
      () => checkCertificate(buildCertificate(caPlan), { ...caPlan, profile: 'rootCa' }, NOW),
      /constraints/,
    )
  })

  it('refuses a key that is not admitted, and a certificate that outlives its issuer', () => {
    const weak = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey
    const plan = planCertificate({ ...serverRequest, publicKey: weak }, undefined, NOW)
    assert.throws(() => checkCertificate(buildCertificate(plan), plan, NOW), /admitted/)
    const good = planCertificate(serverRequest, undefined, NOW)
    const short = { ...good, issuer: { ...issuer.facts, notAfter: NOW } }
    assert.throws(() => checkCertificate(buildCertificate(short), short, NOW), /outlive its issuer/)
  })
})

describe('checkCertificate on extensions', () => {
  const plan = planCertificate(serverRequest, undefined, NOW)
  const profile = CERTIFICATE_PROFILES.tlsServer
  const good = {
    constraints: extensions.buildBasicConstraints(profile),
    usage: extensions.buildKeyUsage(profile.keyUsage),
    extendedUsage: extensions.buildExtendedKeyUsage(profile),
    subjectKey: extensions.buildSubjectKeyIdentifier(plan.publicKeyInfo),
    authorityKey: extensions.buildAuthorityKeyIdentifier(plan.publicKeyInfo),
    names: extensions.buildSubjectAltNames(plan.altNames),
  }
  const build = (change: Partial<Record<keyof typeof good, Buffer>>, ...more: Buffer[]): Buffer =>
    buildTbsCertificate({
      serial: plan.serial,
      signatureAlgorithm: ISSUER_SIGNATURE_ALGORITHM,
      issuer: buildName(plan.subject),
      notBefore: plan.notBefore,
      notAfter: plan.notAfter,
      subject: buildName(plan.subject),
      publicKeyInfo: plan.publicKeyInfo,
      extensions: [...Object.values({ ...good, ...change }), ...more],
    })

  it('refuses each extension that differs from the profile', () => {
    checkCertificate(build({}), plan, NOW)
    const other = rootKeys.publicKey.export({ format: 'der', type: 'spki' })
    const ca = { ...profile, isCa: true }
    const cases: [Buffer, RegExp][] = [
      [build({ constraints: extensions.buildBasicConstraints(ca) }), /constraints/],
      [build({ constraints: extensions.buildBasicConstraints({ ...ca, pathLength: 0 }) }), /constraints/],
      [build({ constraints: extensions.buildExtension(OID.basicConstraints, der.sequence()) }), /critical/],
      [build({ names: extensions.buildExtension(OID.subjectAltName, der.sequence(), true) }), /critical/],
      [build({ usage: extensions.buildKeyUsage([0, 5]) }), /the key usage/],
      [build({ usage: extensions.buildKeyUsage([]) }), /the key usage/],
      [
        build({ extendedUsage: extensions.buildExtendedKeyUsage({ ...profile, extendedKeyUsage: ['2.5.29.37.0'] }) }),
        /extended key usage/,
      ],
      [build({ subjectKey: extensions.buildSubjectKeyIdentifier(other) }), /key identifiers/],
      [build({ authorityKey: extensions.buildAuthorityKeyIdentifier(other) }), /key identifiers/],
      [build({ names: extensions.buildSubjectAltNames([]) }), /alternative names/],
      [build({}, extensions.buildExtension('1.2.3.4', der.nullValue())), /no other extension/],
    ]
    for (const [tbs, rule] of cases) assert.throws(() => checkCertificate(tbs, plan, NOW), rule)
  })
})

describe('signCertificate', () => {
  it('throws when the certificate does not verify with the key of its issuer', async () => {
    const tbs = buildCertificate(planCertificate(rootRequest, undefined, NOW))
    assert.ok(await signCertificate(tbs, createSigner(rootKeys.privateKey), rootKeys.publicKey))
    await assert.rejects(
      signCertificate(tbs, createSigner(serverKeys.privateKey), rootKeys.publicKey),
      /does not verify/,
    )
  })

  it('signs with any callback, and only with P-256 keys', async () => {
    const sign = createSigner(rootKeys.privateKey)
    const remote = await issueSelfSigned(rootRequest, async (bytes) => sign(bytes), NOW)
    assert.ok(new X509Certificate(remote).verify(rootKeys.publicKey))
    assert.throws(() => createSigner(generateKeyPairSync('ed25519').privateKey), TypeError)
    assert.throws(() => createSigner(rootKeys.publicKey), TypeError)
  })
})

describe('buildCertsOnlyPkcs7', () => {
  it('contains the unchanged certificates in order', () => {
    const pkcs7 = buildCertsOnlyPkcs7([root, intermediate])
    readDer(pkcs7)
    const found = new peculiar.X509Certificates(pkcs7)
    assert.deepEqual(
      Array.from(found, (certificate) => Buffer.from(certificate.rawData).toString('hex')),
      [root, intermediate].map((der) => der.toString('hex')),
    )
  })
})

/** A change that violates an absolute rule is checked against the changed plan, the others against the original plan. */
function pick(title: string, plan: CertificatePlan, change: Partial<CertificatePlan>): CertificatePlan {
  return title === 'short serial' || title === 'not yet valid' ? { ...plan, ...change } : plan
}

function constraints(certificate: peculiar.X509Certificate) {
  const extension = certificate.getExtension(peculiar.BasicConstraintsExtension)
  return { ca: extension?.ca, pathLength: extension?.pathLength, critical: extension?.critical }
}

function keyIdOf(certificate: peculiar.X509Certificate): string | undefined {
  return certificate.getExtension(peculiar.SubjectKeyIdentifierExtension)?.keyId
}
