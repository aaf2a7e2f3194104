const MAX_C0 = 0x1f
const DELETE = 0x7f
const MAX_C1 = 0x9f

/**
 * Why a claim cannot be used as an identifier or a name: empty, only white space, too long, or with control characters or code points that
 * Unicode reserves as no character. Answers undefined for good text, which is used as it is: nothing is trimmed, folded or normalised.
 */
export function claimTextProblem(text: string, maxLength: number): string | undefined {
  if (text === '') return 'must not be empty'
  if (text.length > maxLength) return `must not be longer than ${maxLength} characters`
  if (text.trim() === '') return 'must not be white space only'
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0
    if (point <= MAX_C0 || (point >= DELETE && point <= MAX_C1)) return 'must not hold control characters'
    if (isNonCharacter(point)) return 'must not hold code points that are no characters'
  }
  return undefined
}

function isNonCharacter(point: number): boolean {
  return (point & 0xfffe) === 0xfffe || (point >= 0xfdd0 && point <= 0xfdef)
}
