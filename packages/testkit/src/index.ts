/** Shared by the tests and never shipped: certificates, tokens and a real PostgreSQL. */

export {
  buildForbiddenExtensions,
  buildTestAttribute,
  makeTestCsr,
  type TestCsr,
  type TestCsrOptions,
} from './certificate-requests.ts'
export {
  createTestKeyPair,
  getTestKeyPair,
  makeTestCertificate,
  type TestCertificate,
  type TestCertificateOptions,
  type TestHash,
  type TestKeyKind,
  type TestKeyPair,
} from './certificates.ts'
export * from './controller-process.ts'
export type { ControllerResponse } from './controller-request.ts'
export * from './dpop-proof.ts'
export * from './fake-dns.ts'
export * from './jwks-server.ts'
export * from './postgres.ts'
export * from './provisioning-secret.ts'
export * from './raw-https.ts'
export * from './renegotiate.ts'
export * from './software-authenticator.ts'
export * from './state-digest.ts'
export * from './test-authority-certificate.ts'
export * from './token-mint.ts'
export * from './workload-issuer.ts'
