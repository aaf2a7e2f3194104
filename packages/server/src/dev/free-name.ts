/** The name, or with the provider's port: nodes that share a database have a provider each. */
export function freeName(name: string, taken: readonly string[], issuer: string): string {
  return taken.includes(name) ? `${name} ${new URL(issuer).port}` : name
}
