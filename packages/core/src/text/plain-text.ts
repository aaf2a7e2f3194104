import { fieldError } from '../app-error.ts'

/**
 * Characters that can make different texts look the same, or forge log lines: C0 and C1 controls, line and paragraph
 * separators, zero-width and bidirectional controls, and unpaired surrogates.
 */
function isUnsafe(codePoint: number): boolean {
  return (
    codePoint < 0x20 ||
    (codePoint >= 0x7f && codePoint <= 0x9f) ||
    codePoint === 0x061c ||
    (codePoint >= 0x200b && codePoint <= 0x200f) ||
    (codePoint >= 0x2028 && codePoint <= 0x202e) ||
    (codePoint >= 0x2060 && codePoint <= 0x206f) ||
    codePoint === 0xfeff ||
    (codePoint >= 0xfff9 && codePoint <= 0xfffb) ||
    (codePoint >= 0xd800 && codePoint <= 0xdfff)
  )
}

export function hasUnsafeCharacter(text: string): boolean {
  for (const character of text) if (isUnsafe(character.codePointAt(0) ?? 0)) return true
  return false
}

export function withoutUnsafeCharacters(text: string): string {
  return [...text].filter((character) => !isUnsafe(character.codePointAt(0) ?? 0)).join('')
}

/** Throws when a text contains unsafe characters. For texts that people read and that are compared byte by byte. */
export function checkPlainText(field: string, text: string): void {
  if (hasUnsafeCharacter(text)) {
    throw fieldError(field, `${field} may not contain control, zero-width or bidirectional characters`, '')
  }
}
