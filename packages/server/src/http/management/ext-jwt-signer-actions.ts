import {
  type ReadSignerCertificate as CertificateBody,
  type ConfirmKeys as ConfirmBody,
  ConfirmKeys,
  type DiscoverSigner as DiscoverBody,
  DiscoverSigner,
  type ExplainToken as ExplainBody,
  ExplainToken,
  type PushedKeySet as PushedBody,
  PushedKeySet,
  ReadSignerCertificate,
} from '@countersign/contract'
import { certificateWarnings, readSignerCertificate } from '@countersign/core'
import type { KeySets } from '../../keyset/key-sets.ts'
import { confirmKeys } from '../../operations/signer/confirm-keys.ts'
import { pushKeys } from '../../operations/signer/push-keys.ts'
import { trustSigner } from '../../operations/signer/trust-signer.ts'
import type { DiscoverSigner as DiscoverSignerAt } from '../../outbound/discover-signer.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Clock } from '../../platform/clock.ts'
import { notFound } from '../../store/not-found.ts'
import { findEnrollPolicy, findSigner } from '../../store/reads/signer-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Store } from '../../store/store.ts'
import type { LoginExplainer } from '../../token/login-explainer.ts'
import { NO_PROOFS } from '../../token/request-proofs.ts'
import { detail, done, timestamp, withVersion } from '../pipeline/envelope.ts'
import { operationMeta, slowOperationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { describeKeys } from './ext-jwt-signer-key-status.ts'
import { COLLECTION, ONE } from './ext-jwt-signers.ts'
import { idOf } from './resource-routes.ts'

interface ExtJwtSignerActionRouteParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
  readonly signerKeys: Pick<KeySets, 'refresh' | 'keyStatus' | 'reading'>
  readonly explainer: Pick<LoginExplainer, 'explain'>
  readonly discoverSigner: DiscoverSignerAt
}

/** The calls about signers beside those of the resource: explain a token, discover an issuer, read a certificate, refresh keys, trust. */
export function extJwtSignerActionRoutes(parts: ExtJwtSignerActionRouteParts): Route[] {
  const { store, clock, signerKeys, explainer, discoverSigner } = parts

  const getSigner = async (id: string) => {
    const signer = await findSigner(store.db, id)
    if (!signer) throw notFound('externalJwtSigner', id)
    return signer
  }

  /** The status with what this call has written. */
  const keyStatusOf = async (signer: StoredSigner) => {
    await signerKeys.reading(signer)
    return describeKeys(signer, await findEnrollPolicy(store.db, signer), clock.now(), signerKeys)
  }

  /** A failed fetch is reported in `lastError` beside the keys that stay in use; it is not an error of the caller. */
  const refreshKeys = async (id: string) => {
    const signer = await getSigner(id)
    const failure = await signerKeys.refresh(signer).then(() => null, messageOf)
    const keyStatus = await keyStatusOf(signer)
    return detail({ id, keyStatus: { ...keyStatus, lastError: failure ?? keyStatus.lastError } })
  }

  return [
    {
      method: 'POST',
      paths: COLLECTION.map((path) => `${path}/explain`),
      // An explanation discloses identities and what every signer expects.
      access: { entity: 'admin', action: 'change' },
      bodyCap: 'management',
      body: { schema: ExplainToken, optional: false },
      note: describe.one('Explanation', 'Explain why a token is accepted or refused'),
      handle: async (call) => {
        const { token, method, signerId } = call.body as ExplainBody
        const chosen = signerId ? await getSigner(signerId) : undefined
        // What this request proves is about the administrator, not about the client of the token.
        const request = { ...call.tokenContext, proofs: NO_PROOFS }
        const explained = await explainer.explain(token, method || 'ext-jwt', { chosen, request })
        const { claimedIdentity: _, ...explanation } = explained
        return detail(explanation)
      },
    },
    {
      method: 'POST',
      paths: COLLECTION.map((path) => `${path}/discover`),
      access: { entity: 'external-jwt-signer', action: 'create' },
      bodyCap: 'management',
      body: { schema: DiscoverSigner, optional: false },
      note: describe.one('DiscoveredSigner', 'Read the members of a signer from the issuer’s discovery document'),
      handle: async (call) =>
        detail(await discoverSigner(sessionOf(call).identity.id, (call.body as DiscoverBody).issuer)),
    },
    {
      method: 'POST',
      paths: COLLECTION.map((path) => `${path}/read-certificate`),
      access: { entity: 'external-jwt-signer', action: 'create' },
      bodyCap: 'management',
      body: { schema: ReadSignerCertificate, optional: false },
      note: describe.one('SignerCertificate', 'Read a certificate before it is saved'),
      handle: async ({ body }) => detail(describeCertificate((body as CertificateBody).certPem, clock.now())),
    },
    {
      method: 'POST',
      paths: ONE.map((path) => `${path}/refresh-keys`),
      access: { entity: 'external-jwt-signer', action: 'update' },
      bodyCap: 'management',
      body: null,
      note: describe.one('KeyStatus', 'Fetch the keys of a signer now'),
      handle: ({ params: { id = '' } }) => refreshKeys(id),
    },
    {
      method: 'PUT',
      paths: ONE.map((path) => `${path}/pushed-keys`),
      access: { entity: 'external-jwt-signer', action: 'push-keys' },
      bodyCap: 'management',
      body: { schema: PushedKeySet, optional: false },
      note: describe.one('KeyStatus', 'Push the keys of a signer. Needs `If-Match`', {
        parameters: ['ifMatch'],
        requiresVersion: true,
      }),
      handle: async (call) => {
        const id = idOf(call)
        const jwks = call.body as PushedBody
        const { updatedAt } = await store.run(pushKeys, { id, jwks }, slowOperationMeta(call, clock.now()))
        return withVersion(detail({ id, keyStatus: await keyStatusOf(await getSigner(id)) }), updatedAt)
      },
    },
    {
      method: 'POST',
      paths: ONE.map((path) => `${path}/confirm-keys`),
      access: { entity: 'external-jwt-signer', action: 'update' },
      bodyCap: 'management',
      body: { schema: ConfirmKeys, optional: true },
      note: describe.one('KeyStatus', 'Use the keys that wait for a confirmation', { parameters: ['ifMatch'] }),
      handle: async (call) => {
        const id = idOf(call)
        const { thumbprints } = (call.body ?? {}) as ConfirmBody
        await store.run(confirmKeys, { id, thumbprints }, slowOperationMeta(call, clock.now()))
        return detail({ id, keyStatus: await keyStatusOf(await getSigner(id)) })
      },
    },
    {
      method: 'POST',
      paths: ONE.map((path) => `${path}/trust`),
      access: { entity: 'admin', action: 'change' },
      bodyCap: 'management',
      body: null,
      note: describe.done('Trust a signer as it is', { parameters: ['ifMatch'] }),
      handle: async (call) => {
        await store.run(trustSigner, { id: idOf(call) }, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}

/** The facts that a signer with this certificate would record, and the kind of its key. Throws the same errors as saving it. */
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

function messageOf(error: unknown): string {
  if (error instanceof OutboundError) return error.message
  throw error
}
