/** A number with its noun: `1 identity`, `2 identities`. */
export function counted(count: number, one: string, several: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${several}`
}
