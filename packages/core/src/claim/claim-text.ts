/** Linear, one character at a time: controls (C0, DEL, C1) and code points that Unicode reserves as no character. */
const UNUSABLE = /[\p{Cc}\p{Noncharacter_Code_Point}]/u

/**
 * Why a claim cannot be used as an identifier or a name: empty, only white space, too long, or with control characters or code points that are
 * no characters. Answers undefined for good text, which is used as it is: nothing is trimmed, folded or normalised.
 */
export function claimTextProblem(text: string, maxLength: number): string | undefined {
  if (text === '') return 'must not be empty'
  if (text.length > maxLength) return `must not be longer than ${maxLength} characters`
  if (text.trim() === '') return 'must not be white space only'
  return UNUSABLE.test(text) ? 'must not hold control characters or code points that are no characters' : undefined
}
