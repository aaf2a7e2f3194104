import {
  type ReadSignerCertificate as CertificateBody,
  type DiscoverSigner as DiscoverBody,
  DiscoverSigner,
  type ExplainToken as ExplainBody,
  ExplainToken,
  ReadSignerCertificate,
} from '@countersign/contract'
import { certificateWarnings, readSignerCertificate } from '@countersign/core'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { notFound } from '../../store/not-found.ts'
import { findEnrollPolicy, findSigner } from '../../store/reads/signer-reads.ts'
import type { ControllerContext } from '../controller-context.ts'
import { detail, timestamp } from '../pipeline/envelope.ts'
import type { Route } from '../pipeline/route.ts'
import { describeKeys } from './ext-jwt-signer-key-status.ts'
import { COLLECTION, ONE } from './ext-jwt-signers.ts'

/** What can be asked of signers beyond reading and writing them: why a token is refused, what a provider or a certificate offers, new keys. */
export function extJwtSignerActionRoutes(context: ControllerContext): Route[] {
  const { store, clock, signerKeys, explainSignIn, discoverSigner } = context

  /** What the provider failed in is told with the keys that go on serving: that is one state, not an error of the caller. */
  const refreshKeys = async (id: string) => {
    const signer = await findSigner(store.db, id)
    if (!signer) throw notFound('externalJwtSigner', id)
    const problem = await signerKeys.refresh(signer).then(() => null, problemOf)
    const keyStatus = describeKeys(signer, await findEnrollPolicy(store.db, signer), clock.now(), signerKeys)
    return detail({ id, keyStatus: { ...keyStatus, lastError: problem ?? keyStatus.lastError } })
  }

  return [
    {
      method: 'POST',
      paths: COLLECTION.map((path) => `${path}/explain`),
      // It tells who is who and what every signer expects.
      access: { entity: 'admin', action: 'change' },
      bodyCap: 'management',
      body: { schema: ExplainToken, optional: false },
      handle: async ({ body }) => {
        const { token, method } = body as ExplainBody
        return detail(await explainSignIn(token, method || 'ext-jwt'))
      },
    },
    {
      method: 'POST',
      paths: COLLECTION.map((path) => `${path}/discover`),
      access: { entity: 'external-jwt-signer', action: 'create' },
      bodyCap: 'management',
      body: { schema: DiscoverSigner, optional: false },
      handle: async ({ body }) => detail(await discoverSigner((body as DiscoverBody).issuer)),
    },
    {
      method: 'POST',
      paths: COLLECTION.map((path) => `${path}/read-certificate`),
      access: { entity: 'external-jwt-signer', action: 'create' },
      bodyCap: 'management',
      body: { schema: ReadSignerCertificate, optional: false },
      handle: async ({ body }) => detail(describeCertificate((body as CertificateBody).certPem, clock.now())),
    },
    {
      method: 'POST',
      paths: ONE.map((path) => `${path}/refresh-keys`),
      access: { entity: 'external-jwt-signer', action: 'update' },
      bodyCap: 'management',
      body: null,
      handle: ({ params: { id = '' } }) => refreshKeys(id),
    },
  ]
}

/** What saving it would record, and what the key is. Throws as saving it would. */
function describeCertificate(certPem: string, now: number) {
  const { commonName, fingerprintSha1, keyKind, signatureAlgorithm, ...dates } = readSignerCertificate(certPem)
  const [notBefore, notAfter] = [dates.notBefore.getTime(), dates.notAfter.getTime()]
  return {
    commonName,
    fingerprint: fingerprintSha1,
    notBefore: timestamp(notBefore),
    notAfter: timestamp(notAfter),
    keyKind,
    signatureAlgorithm,
    warnings: certificateWarnings({ notBefore, notAfter }, now),
  }
}

function problemOf(error: unknown): string {
  if (error instanceof OutboundError) return error.message
  throw error
}
