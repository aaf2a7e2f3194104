import { secretDigest } from '@countersign/core'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import { findScimToken } from '../../store/reads/scim-token-reads.ts'
import type { Store } from '../../store/store.ts'
import type { ChannelReporter, ChannelRequest } from './channel-reporter.ts'

/** The identity provider that sent a SCIM request. */
export interface ScimCaller {
  readonly signerId: string
  readonly signerName: string
  readonly tokenId: string
}

interface ScimCallersParts {
  readonly store: Pick<Store, 'db'>
  readonly reporter: Pick<ChannelReporter, 'noteRefused'>
  readonly limits: Pick<AttemptLimits, 'scim'>
}

const CHANNEL = 'scim'
const MAX_TOKEN_LENGTH = 256

/** Finds the callers of SCIM by their tokens. */
export class ScimCallers {
  readonly #parts: ScimCallersParts

  constructor(parts: ScimCallersParts) {
    this.#parts = parts
  }

  /**
   * Returns the refusal of a token that is not one of the signer, or whose signer is disabled or untrusted. Throws `TooManyRequests` when the provider
   * sends more than its signer may. Reads the store each time: a deleted token is refused at once, on every node.
   */
  async find(
    token: string | undefined,
    request: ChannelRequest,
    { isRecheck }: { readonly isRecheck: boolean },
  ): Promise<ScimCaller | 'token-unknown' | 'channel-off'> {
    const { store, reporter, limits } = this.#parts
    const isUsable = token !== undefined && token.length <= MAX_TOKEN_LENGTH
    const known = isUsable ? await findScimToken(store.db, secretDigest(token)) : undefined
    if (known?.signerId !== request.signerId) {
      // Requests without any token are those of scanners.
      if (token !== undefined) reporter.noteRefused(CHANNEL, 'token-unknown', request)
      return 'token-unknown'
    }
    const { id: tokenId, signerId, signerName, isSignerEnabled, isSignerTrusted } = known
    if (!isSignerEnabled || !isSignerTrusted) {
      reporter.noteRefused(CHANNEL, isSignerEnabled ? 'signer-not-trusted' : 'channel-off', request)
      return 'channel-off'
    }
    if (!isRecheck) limits.scim.begin(signerId)
    return { signerId, signerName, tokenId }
  }
}
