import type { LoginExplanation } from './login-explanation.ts'

const MAX_BYTES = 4096
const MAX_SIGNERS = 3
const MAX_HINTS = 5
const MAX_HINT_LENGTH = 1024
const MAX_SHOWN = 128

/**
 * Formats an explanation for storage: at most 4 KiB, however large the claims of the token are. The least relevant signers and hints are
 * dropped first.
 */
export function decisionText(explanation: LoginExplanation): string {
  const signers = explanation.signers.slice(0, MAX_SIGNERS).map((signer) => ({
    ...signer,
    checks: signer.checks.map((check) => ({
      check: check.check,
      expected: cut(check.expected, MAX_SHOWN),
      received: check.received === null ? null : cut(check.received, MAX_SHOWN),
      pass: check.pass,
    })),
  }))
  const hints = explanation.hints.slice(0, MAX_HINTS).map((hint) => cut(hint, MAX_HINT_LENGTH))
  const { identity, policy, missing } = explanation
  for (;;) {
    const text = JSON.stringify({ signers, identity, policy, missing, hints })
    if (Buffer.byteLength(text) <= MAX_BYTES) return text
    if (signers.length > 1) signers.pop()
    else if (hints.length > 1) hints.pop()
    else if (signers.length > 0) signers.pop()
    else return JSON.stringify({ signers, identity, policy, missing, hints: [] })
  }
}

/** Shortens a text to `length` characters and an ellipsis. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text
}
