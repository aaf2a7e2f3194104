import { isGroup, type Members } from '@countersign/contract/resource'

/** `audience: The exact audience that a token must have`, or only the name of a member without a description. */
export function describeMember(members: Members, name: string): string {
  const member = members[name.split('.', 1)[0] ?? '']
  const description = member && !isGroup(member) ? member.notes.description : undefined
  return description ? `${name}: ${description.replaceAll('`', '')}` : name
}
