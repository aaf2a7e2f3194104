import { hash } from 'node:crypto'
import type { Authenticate } from '@countersign/contract'
import type { RuleRequest } from '@countersign/core'
import { type SessionOptions, startSession } from '../operations/api-session/start-session.ts'
import { noteChain } from '../operations/authenticator/note-chain.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { CertificateAuthenticator } from '../store/reads/authenticator-reads.ts'
import { sessionCertificate } from '../store/session-certificate.ts'
import type { PresentedCertificate } from '../token/presented-certificate.ts'
import type { CertificateCheck, RefusedCertificate } from './certificate-check.ts'
import { findTokenlessRefusal } from './policy-rule.ts'

export type CertificateLoginResult =
  | { readonly loggedIn: true; readonly token: string; readonly session: LiveSession }
  | ({ readonly loggedIn: false } & Omit<RefusedCertificate, 'accepted'>)

interface CertificateLoginParts extends SessionOptions {
  readonly certificates: CertificateCheck
  /** The trusted CA certificates, DER. */
  readonly authorities: () => readonly Buffer[]
}

/** The authenticator of a session whose identity is named by a claim in the certificate; existing clients know the word. */
const NO_AUTHENTICATOR = 'internal'

/** Exchanges the certificate of a connection for a session. The session is valid on every connection. */
export class CertificateLogin {
  readonly #parts: CertificateLoginParts

  constructor(parts: CertificateLoginParts) {
    this.#parts = parts
  }

  async logIn(
    presented: PresentedCertificate | undefined,
    body: Authenticate,
    request: RuleRequest,
    open = startSession,
  ): Promise<CertificateLoginResult> {
    const checked = await this.#parts.certificates.check(presented)
    if (!checked.accepted) return { ...checked, loggedIn: false }
    const { identity, policy, ca } = checked
    const reason = await findTokenlessRefusal(policy, identity, request, this.#parts.clock.now())
    if (reason !== undefined) {
      const fingerprint = presented && hash('sha1', presented.leaf, 'hex')
      return { loggedIn: false, reason, fingerprint, identity, policy, ca: undefined }
    }
    const authenticator =
      checked.authenticator && presented && (await this.#noteChain(checked.authenticator, presented, ca !== undefined))
    const started = await open(this.#parts, {
      identity,
      policy,
      login: { method: 'cert', ...(ca && { caId: ca.id }) },
      authenticatorId: authenticator?.id ?? NO_AUTHENTICATOR,
      comparedWith: authenticator && (authenticator.fingerprint ?? ''),
      // Only certificates of our own CA can be renewed here.
      certificate: authenticator && !ca ? sessionCertificate(authenticator) : undefined,
      presentedFingerprint: presented && hash('sha1', presented.leaf, 'hex'),
      certificateExpiresAt: checked.expiresAt,
      ca,
      body,
      ipAddress: request.address,
    })
    return { loggedIn: true, ...started }
  }

  /** Stores with the authenticator whether the client sends a complete chain, if that has changed. */
  async #noteChain(
    authenticator: CertificateAuthenticator,
    { sent: [next], isResumed }: PresentedCertificate,
    isForeign: boolean,
  ): Promise<CertificateAuthenticator> {
    if (isResumed) return authenticator
    const { store, clock, authorities } = this.#parts
    // A certificate of a third-party CA was accepted only with its chain.
    const isComplete = isForeign || (next !== undefined && authorities().some((authority) => authority.equals(next)))
    const { last_auth_resolved_to_root: before } = authenticator
    if (before !== null && Boolean(before) === isComplete) return authenticator
    const { id, identity_id: actorId } = authenticator
    await store.run(noteChain, { id, resolvedToRoot: isComplete }, { actorId, now: clock.now() })
    return { ...authenticator, last_auth_resolved_to_root: isComplete }
  }
}
