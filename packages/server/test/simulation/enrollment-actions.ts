import { identityFromBody, revocableToken, secretDigest } from '@countersign/core'
import { enrollByJwt } from '../../src/operations/enrollment/enroll-by-jwt.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { findSigner } from '../../src/store/reads/signer-reads.ts'
import { newName, POLICIES, SIGNER_ID } from './cast.ts'
import { type Stage, send } from './client.ts'
import type { Enrollment } from './enrollment-history.ts'
import { certificateFor, type RunningNode, SESSION_MS, type SimulatedNode } from './simulated-node.ts'

type Action = (stage: Stage, node: SimulatedNode) => Promise<void>

const MAX_CLIENTS = 3
const ATTEMPTS = 4
const SOURCE = { method: 'test', localAddr: '', remoteAddr: '' }

/** Several clients enroll with the same token and different keys, on any node. A client without an answer tries again, with the same key. */
async function race(
  stage: Stage,
  { name, keys, received }: Enrollment,
  enroll: (node: RunningNode, key: string) => Promise<boolean>,
): Promise<void> {
  const { random, scheduler } = stage
  const client = async (number: number): Promise<void> => {
    const key = `key ${number} of ${name}`
    keys.push(key)
    for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
      const { outcome, result } = await send(stage, stage.findWriter(), `enroll ${key}`, (running) =>
        enroll(running, key),
      )
      if (outcome === 'acknowledged' && result) received.push(key)
      if (outcome !== 'unknown') return
      await new Promise<void>((resolve) => scheduler.after(random.between(1, 1_000), resolve))
    }
  }
  const clients = Math.ceil(random.between(0, MAX_CLIENTS))
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index + 1)))
}

/** Enrolls an identity by a one-time token. */
export const enrollOnce: Action = async (stage, node) => {
  const id = newName(stage.cast, 'enrolled')
  const token = `token of ${id}`
  const enrollment = {
    id: `enrollment-of-${id}`,
    method: 'ott',
    username: null,
    caId: null,
    tokenDigest: secretDigest(token),
    sealedToken: '',
    expiresAt: node.clock.now() + SESSION_MS,
  } as const
  const body = { name: id, type: 'Default', isAdmin: false, authPolicyId: POLICIES[0] } as const
  const { outcome } = await send(stage, node, `create ${id} with an enrollment`, ({ store }, meta) =>
    store.run(createIdentity, { id, body, enrollment }, meta()),
  )
  if (outcome === 'refused') return
  await race(stage, stage.enrollments.start(id), async ({ enrollments }, key) => {
    await enrollments.certificate(token, key, SOURCE)
    return true
  })
}

/** Enrolls an identity by a token of a signer. */
export const enrollByToken: Action = async (stage) => {
  const externalId = newName(stage.cast, 'subject')
  const body = { name: externalId, externalId, type: 'Default', isAdmin: false, authPolicyId: POLICIES[0] } as const
  const settings = identityFromBody(body)
  await race(stage, stage.enrollments.start(externalId), async ({ store, clock }, key) => {
    const signerRevision = (await findSigner(store.db, SIGNER_ID))?.revision ?? 0
    const issuedAt = Math.floor(clock.now() / 1000)
    const { chainPem, fingerprint, publicKeyDigest } = certificateFor(key)
    const authenticator = {
      id: newName(stage.cast, 'certificate'),
      certPem: chainPem,
      fingerprint,
      publicKeyDigest,
    }
    const token = revocableToken({ claims: { sub: externalId, iat: issuedAt }, identityClaim: externalId })
    const loginClaims = { acr: null, amr: null, authenticatedAt: null }
    const facts = { claims: {}, request: undefined }
    const verifiedBy = { signerId: SIGNER_ID, signerRevision, issuedAt, token, loginClaims, facts }
    const enrollment = { ...verifiedBy, kind: 'cert', key: { useExternalId: true, externalId } } as const
    const identityId = `enrolled-${authenticator.id}`
    const args = { ...enrollment, settings, identityId, authenticator }
    const { refusal } = await store.run(enrollByJwt, args, { actorId: identityId, now: clock.now() })
    return refusal === undefined
  })
}
