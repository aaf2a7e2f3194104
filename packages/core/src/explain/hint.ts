import type { JsonValue } from '../json/json-value.ts'
import { hasUnsafeCharacter } from '../text/plain-text.ts'

/** One value per kind of mistake. */
export type HintKind =
  | 'algorithm-not-fitting'
  | 'algorithm-none'
  | 'algorithm-symmetric'
  | 'audience-cognito'
  | 'audience-github'
  | 'audience-graph'
  | 'audience-keycloak-account'
  | 'audience-kubernetes'
  | 'audience-mismatch'
  | 'audience-missing'
  | 'audience-spelling'
  | 'certificate-not-bound'
  | 'certificate-not-sent'
  | 'certificate-not-valid-now'
  | 'claims-omitted'
  | 'expired-just-now'
  | 'expired-long-ago'
  | 'expiry-in-milliseconds'
  | 'expiry-unusable'
  | 'header-not-understood'
  | 'id-token'
  | 'access-token'
  | 'refresh-token'
  | 'identity-claim-missing'
  | 'identity-claim-unusable'
  | 'issued-in-future'
  | 'issued-at-unusable'
  | 'issuer-entra-shared'
  | 'issuer-entra-tenant'
  | 'issuer-entra-version'
  | 'issuer-missing'
  | 'issuer-other-provider'
  | 'issuer-other-tenant'
  | 'issuer-spelling'
  | 'issuer-unknown'
  | 'keys-not-pinned'
  | 'keys-stale'
  | 'keys-unconfirmed'
  | 'kid-missing'
  | 'kid-unknown'
  | 'lifetime-too-long'
  | 'no-keys'
  | 'not-before-unusable'
  | 'not-yet-valid'
  | 'pasted-response'
  | 'pasted-with-more'
  | 'possession-missing'
  | 'possession-not-proven'
  | 'proof-key-mismatch'
  | 'proof-malformed'
  | 'proof-method-mismatch'
  | 'proof-missing'
  | 'proof-nonce-missing'
  | 'proof-replayed'
  | 'proof-signature-invalid'
  | 'proof-time-mismatch'
  | 'proof-token-mismatch'
  | 'proof-url-mismatch'
  | 'required-claim-unmet'
  | 'rule-error'
  | 'rule-refused'
  | 'signature-invalid'
  | 'signer-disabled'
  | 'token-empty'
  | 'token-encrypted'
  | 'token-json-form'
  | 'token-malformed'
  | 'token-nested'
  | 'token-not-bound'
  | 'token-opaque'
  | 'token-standard-base64'
  | 'token-too-large'
  | 'token-truncated'
  | 'token-two-pasted'
  | 'token-used'
  | 'too-many-signers'
  | 'type-not-accepted'

/** One sentence about a refused token: what is wrong and what to do. */
export interface Hint {
  readonly kind: HintKind
  readonly text: string
}

export const hint = (kind: HintKind, text: string): Hint => ({ kind, text })

const MAX_QUOTED = 128
const MAX_LISTED = 10

/** Formats a value from a token or a signer for use in a sentence: in quotes, truncated, with unsafe characters escaped. */
export function quoted(value: JsonValue): string {
  const text = JSON.stringify(value)
  return visible(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}…` : text)
}

/** Formats at most `limit` of the texts, quoted and separated by commas. */
export function quotedList(texts: readonly string[], limit = MAX_LISTED): string {
  return `${texts.slice(0, limit).map(quoted).join(', ')}${texts.length > limit ? ', …' : ''}`
}

/** Escapes invisible and misleading characters. */
export function visible(text: string): string {
  if (!hasUnsafeCharacter(text)) return text
  const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  return [...text].map((character) => (hasUnsafeCharacter(character) ? escaped(character) : character)).join('')
}
