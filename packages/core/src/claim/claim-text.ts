/** Control characters (C0, DEL, C1) and Unicode noncharacters. Matches in linear time. */
const UNUSABLE = /[\p{Cc}\p{Noncharacter_Code_Point}]/u

/** A claim that names an identity or a client is not longer. */
export const MAX_IDENTITY_CLAIM_LENGTH = 512

/**
 * Returns why a claim cannot be used as an identifier or a name: empty, only white space, too long, or with control characters or
 * noncharacters. Undefined for usable text. Callers must use it unchanged: no trimming, case folding or normalisation.
 */
export function claimTextError(text: string, maxLength: number): string | undefined {
  if (text === '') return 'must not be empty'
  if (text.length > maxLength) return `must not be longer than ${maxLength} characters`
  if (text.trim() === '') return 'must not be white space only'
  return UNUSABLE.test(text) ? 'must not contain control characters or noncharacters' : undefined
}
