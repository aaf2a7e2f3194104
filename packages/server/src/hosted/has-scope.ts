/** Whether a token has a scope. Providers send scopes as a space-separated string (`scope`) or as a list (`scp`, sometimes `scope`). */
export function hasScope(claims: Readonly<Record<string, unknown>>, wanted: string): boolean {
  return [claims.scope, claims.scp].some((scopes) =>
    Array.isArray(scopes) ? scopes.includes(wanted) : typeof scopes === 'string' && scopes.split(' ').includes(wanted),
  )
}
