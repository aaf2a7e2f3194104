/** A part of a PEM label that is not expected, and the reason to report for it. */
export type PemMistake = readonly [label: string, reason: string]

const BEGIN = '-----BEGIN '

/** Returns why a text is not exactly one PEM block of the expected kind. Repeats nothing of the text. */
export function explainPem(pem: string, expected: string, mistakes: readonly PemMistake[]): string {
  for (const [label, reason] of mistakes) if (pem.includes(label)) return reason
  const first = pem.indexOf(BEGIN)
  if (first < 0) return `it is not a ${expected} in PEM form`
  if (pem.indexOf(BEGIN, first + 1) > 0) return `it contains more than one PEM block; give exactly one ${expected}`
  return `it must be one ${expected.toUpperCase()} block in strict base64 with nothing but white space around it`
}
