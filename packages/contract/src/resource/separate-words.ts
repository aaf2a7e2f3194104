/** The words of a member's name, in lower case: `clockSkewSeconds` with `-` is `clock-skew-seconds`. */
export function separateWords(name: string, separator: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => separator + letter.toLowerCase())
}
