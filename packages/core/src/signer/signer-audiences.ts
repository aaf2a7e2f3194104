/** The audiences that a signer accepts. */
export interface SignerAudiences {
  readonly audience: string
  readonly additionalAudiences?: readonly string[]
}

const NONE: readonly string[] = []

/** Every audience that a signer accepts, `audience` first. */
export function signerAudiences({ audience, additionalAudiences = NONE }: SignerAudiences): readonly string[] {
  return [audience, ...additionalAudiences]
}

/** Whether one of a token's audiences is one of the signer's. */
export function acceptsAudience(
  { audience, additionalAudiences = NONE }: SignerAudiences,
  audiences: readonly string[],
): boolean {
  return audiences.includes(audience) || additionalAudiences.some((additional) => audiences.includes(additional))
}

/** Whether a token with this issuer and these audiences is for the signer. */
export function isSignerNamed(
  signer: SignerAudiences & { readonly issuer: string },
  untrustedIssuer: string | undefined,
  untrustedAudiences: readonly string[],
): boolean {
  return signer.issuer === untrustedIssuer && acceptsAudience(signer, untrustedAudiences)
}
