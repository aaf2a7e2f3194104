/**
 * Whether a signature counter shows a copied authenticator: it must grow with every use (WebAuthn section 6.1.1). Authenticators that synchronise their
 * passkeys do not count, and always send 0.
 */
export function isCounterBehind(received: number, stored: number): boolean {
  return (received > 0 || stored > 0) && received <= stored
}
