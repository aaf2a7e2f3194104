/** Returns the name, with the provider's port if it is taken: nodes that share a database each have a provider. */
export function freeName(name: string, taken: readonly string[], issuer: string): string {
  return taken.includes(name) ? `${name} ${new URL(issuer).port}` : name
}
