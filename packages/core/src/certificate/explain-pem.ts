/** The end of a PEM label that is not wanted, and what to tell whoever gave such a block. */
export type PemMistake = readonly [label: string, reason: string]

const BEGIN = '-----BEGIN '

/** Why a text is not the one PEM block that was wanted, in words and without any of the text. */
export function explainPem(pem: string, wanted: string, mistakes: readonly PemMistake[]): string {
  for (const [label, reason] of mistakes) if (pem.includes(label)) return reason
  const first = pem.indexOf(BEGIN)
  if (first < 0) return `it is not a ${wanted} in PEM form`
  if (pem.indexOf(BEGIN, first + 1) > 0) return `it holds more than one PEM block; give exactly one ${wanted}`
  return `it must be one ${wanted.toUpperCase()} block in strict base64 with nothing but white space around it`
}
