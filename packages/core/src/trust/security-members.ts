import { isSecurityMember } from '@countersign/contract/resource'
import { isSameSetting } from './is-same-setting.ts'

export { isSecurityMember }

/**
 * Whether a PATCH writes a security member: it writes every member that it names, also with the same value. `given` are the members that the
 * body sets.
 */
export function patchesSecurityMember(given: readonly string[]): boolean {
  return given.some(isSecurityMember)
}

/**
 * Whether a PUT writes a security member: only when the meaning of its value changes. Clients send the whole entity back to change one member,
 * some in another form, so neither a name in the body nor the form of its value shows that a change was meant.
 */
export function replacesSecurityMember<Settings extends object>(current: Settings, next: Settings): boolean {
  return Object.entries(next).some(
    ([name, value]) => isSecurityMember(name) && !isSameSetting(name, current[name as keyof Settings], value),
  )
}
