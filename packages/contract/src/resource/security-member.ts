/** The members of a signer or CA that do not decide which logins it accepts (D55). */
export const OTHER_MEMBERS: readonly string[] = ['name', 'tags', 'enabled']

/** Whether a member decides which logins a signer or CA accepts, so that trust follows its last writer. Also those that are added later. */
export function isSecurityMember(name: string): boolean {
  return !OTHER_MEMBERS.includes(name)
}
