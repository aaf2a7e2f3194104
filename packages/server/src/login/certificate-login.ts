import type { Authenticate } from '@countersign/contract'
import { type SessionOptions, startSession } from '../operations/api-session/start-session.ts'
import { noteChain } from '../operations/authenticator/note-chain.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import { sessionCertificate } from '../session/session-certificate.ts'
import type { CertificateAuthenticator } from '../store/reads/authenticator-reads.ts'
import type { JudgeCertificate, PresentedCertificate, RefusedCertificate } from './judge-certificate.ts'

export type CertOutcome =
  | { readonly signedIn: true; readonly token: string; readonly session: LiveSession }
  | ({ readonly signedIn: false } & Omit<RefusedCertificate, 'accepted'>)

export type CertSignIn = (
  presented: PresentedCertificate | undefined,
  body: Authenticate,
  ipAddress: string,
) => Promise<CertOutcome>

interface CertSignInParts extends SessionOptions {
  readonly judgeCertificate: JudgeCertificate
  readonly authorities: () => readonly Buffer[]
}

/** Exchanges the certificate of a connection for a session. The session is valid on every connection afterwards. */
export function createCertSignIn(parts: CertSignInParts): CertSignIn {
  const { store, clock, judgeCertificate, authorities } = parts

  /** Whether the client sends what others need to verify its leaf. Kept with the authenticator when that has changed. */
  const keepChainNote = async (
    authenticator: CertificateAuthenticator,
    { next, isResumed }: PresentedCertificate,
  ): Promise<CertificateAuthenticator> => {
    if (isResumed) return authenticator
    const isWhole = next !== undefined && authorities().some((authority) => authority.equals(next))
    const { last_auth_resolved_to_root: before } = authenticator
    if (before !== null && Boolean(before) === isWhole) return authenticator
    const { id, identity_id: actorId } = authenticator
    await store.run(noteChain, { id, resolvedToRoot: isWhole }, { actorId, now: clock.now() })
    return { ...authenticator, last_auth_resolved_to_root: isWhole }
  }

  return async (presented, body, ipAddress) => {
    const judged = await judgeCertificate(presented)
    if (!judged.accepted) return { ...judged, signedIn: false }
    const { identity, policy } = judged
    const authenticator = presented ? await keepChainNote(judged.authenticator, presented) : judged.authenticator
    const started = await startSession(parts, {
      identity,
      policy,
      way: { method: 'cert' },
      authenticatorId: authenticator.id,
      certificate: sessionCertificate(authenticator),
      body,
      ipAddress,
    })
    return { signedIn: true, ...started }
  }
}
