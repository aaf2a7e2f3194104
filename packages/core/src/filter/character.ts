/** ASCII digits only. */
export function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

/** ASCII letters and the underscore, with which a symbol may begin. */
export function isLetter(character: string | undefined): boolean {
  if (character === undefined) return false
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character === '_'
}
