/** Members that do not decide which tokens an entity accepts. Every other member is a security member, also those that are added later. */
const OTHER_MEMBERS: ReadonlySet<string> = new Set(['name', 'tags', 'enabled'])

export function isSecurityMember(name: string): boolean {
  return !OTHER_MEMBERS.has(name)
}

/**
 * Whether a PATCH writes a security member: it writes every member that it names, also with the same value. `given` are the members that the
 * body sets.
 */
export function patchesSecurityMember(given: readonly string[]): boolean {
  return given.some(isSecurityMember)
}

/**
 * Whether a PUT writes a security member: only when its value changes. Clients send the whole entity back to change one member, so a name in
 * the body does not show that its value was meant.
 */
export function replacesSecurityMember<Settings extends object>(current: Settings, next: Settings): boolean {
  return Object.entries(next).some(
    ([name, value]) => isSecurityMember(name) && !isSameValue(current[name as keyof Settings], value),
  )
}

/** Settings are JSON. The order of an object's members counts: a difference in order alone is treated as a change. */
function isSameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
