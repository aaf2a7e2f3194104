import { readConfirmation } from '../possession/confirmation.ts'
import { PROOF_WINDOW_SECONDS } from '../possession/verify-proof.ts'
import type { CheckName } from '../token/verdict.ts'
import { type Hint, type HintKind, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'

type PossessionCheck = Extract<CheckName, 'possession' | 'certificate' | 'oneUse' | `proof${string}`>

/** What a check expected and received, as in the verdict. */
interface Compared {
  readonly expected: string
  readonly received: string | null
}

const shown = (received: string | null): string => (received === null ? 'none' : quoted(received))

const RULES: Readonly<
  Record<PossessionCheck, (subject: HintSubject, compared: Compared) => readonly [HintKind, string]>
> = {
  possession: possessionHint,
  certificate: (_, { received }) =>
    received === null
      ? [
          'certificate-not-sent',
          'the token is bound to a client certificate (cnf), and the TLS connection had none: send it over TLS with that certificate; a proxy that ends TLS does not pass it on',
        ]
      : [
          'certificate-not-bound',
          'the token is bound to another client certificate (cnf) than that of the TLS connection: use the one that the token was requested with',
        ],
  proof: (_, { received }) =>
    received === null
      ? [
          'proof-missing',
          'the token is bound to a key (cnf.jkt), and no DPoP proof came with it: send "Authorization: DPoP …" with a proof in the header DPoP, or get a token that is not bound',
        ]
      : ['proof-malformed', `the DPoP proof cannot be used: ${received}`],
  proofKey: () => [
    'proof-key-mismatch',
    'the DPoP proof has another key than the one that the token is bound to (cnf.jkt): sign it with the key that the token was requested with',
  ],
  proofMethod: (_, { expected, received }) => [
    'proof-method-mismatch',
    `the DPoP proof is for the method ${shown(received)} (htm), and the request had ${quoted(expected)}: make a proof for each request`,
  ],
  proofUrl: (_, { expected, received }) => [
    'proof-url-mismatch',
    `the DPoP proof is for ${shown(received)} (htu), and the request came to ${quoted(expected)}: use the address of the request; behind a proxy, the proxy must be in http.trustedProxies and send X-Forwarded-Host, and the address be one of advertise`,
  ],
  proofToken: () => [
    'proof-token-mismatch',
    'the DPoP proof is for another token: ath must be the SHA-256 of the token in base64url',
  ],
  proofTime: (_, { expected, received }) => [
    'proof-time-mismatch',
    `the DPoP proof has the iat ${shown(received)}, not ${expected}: set the clock of the client, and make a proof for each request (it is good for ${PROOF_WINDOW_SECONDS} s)`,
  ],
  proofNonce: (_, { received }) => [
    'proof-nonce-missing',
    received === null
      ? 'the DPoP proof has no nonce: repeat the request with the nonce from the header DPoP-Nonce of the response'
      : 'the nonce of the DPoP proof is not one of the last minutes: repeat the request with the nonce from the header DPoP-Nonce of the response',
  ],
  proofSignature: () => [
    'proof-signature-invalid',
    'the DPoP proof is not signed by the key in its header: sign it with the private key of its jwk',
  ],
  proofUse: () => ['proof-replayed', 'the DPoP proof was used before: make a proof with a new jti for each request'],
  oneUse: ({ signer }) => [
    'token-used',
    `the signer ${quoted(signer.name)} accepts each token once (oneUse), and this one was used before: get a new token, or set oneUse to false`,
  ],
}

/** One hint for a failed check of what a token is bound to. */
export function possessionHints(check: PossessionCheck): (subject: HintSubject) => Hint[] {
  return (subject) => {
    const failed = subject.verdict.checks.find((made) => made.check === check && !made.pass)
    return failed ? [hint(...RULES[check](subject, failed))] : []
  }
}

function possessionHint({ jws, signer }: HintSubject): readonly [HintKind, string] {
  const confirmation = readConfirmation(jws.untrustedClaims)
  if (confirmation === 'unsupported') {
    return [
      'possession-not-proven',
      'the token is bound to a key (cnf) in a way that is not supported: get one that is bound by jkt (DPoP) or x5t#S256 (client certificate), or one that is not bound',
    ]
  }
  const required = signer.requirePossession
  if (required === 'none') {
    return [
      'token-not-bound',
      'the token came with the scheme DPoP, but it is not bound to a key (cnf.jkt): request it from the provider with a DPoP proof, or send it with the scheme Bearer',
    ]
  }
  const text = `the signer ${quoted(signer.name)} requires a token that is bound to a key (requirePossession is ${quoted(required)}), which this one is not: configure the provider to bind its tokens, or change requirePossession`
  return ['possession-missing', text]
}
