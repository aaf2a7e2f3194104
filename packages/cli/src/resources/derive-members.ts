import { type Field, isGroup, isSetting, listFields, type Members, separateWords } from '@countersign/contract/resource'
import type { FieldFlag, ResourceDescription } from './resource-kind.ts'

/** Members of every response that no request can set. */
const READ_ONLY = ['_links', 'id', 'createdAt', 'updatedAt']

/** Derives the members and flags of a resource from its schema in the contract. */
export function deriveMembers(
  members: Members,
): Pick<ResourceDescription, 'members' | 'fields' | 'writable' | 'alsoAccepted' | 'readOnly' | 'innerMembers'> {
  const namesOf = (matches: (member: Field) => boolean, withGroups = false) =>
    Object.entries(members).flatMap(([name, member]) =>
      (isGroup(member) ? withGroups : matches(member)) ? [name] : [],
    )
  return {
    members,
    fields: deriveFlags(members),
    writable: namesOf((member) => isAccepted(member) && member.notes.exported !== false, true),
    alsoAccepted: namesOf((member) => isAccepted(member) && member.notes.exported === false),
    readOnly: [...READ_ONLY, ...namesOf(({ notes }) => notes.readOnly === true || notes.createOnly === true)],
    innerMembers: Object.fromEntries(listInnerMembers(members)),
  }
}

/** Whether requests accept it and responses contain it, so that a response can be sent back. */
function isAccepted(member: Field): boolean {
  return isSetting(member) || (member.notes.writeOnly === true && member.notes.responseSchema !== undefined)
}

function listInnerMembers(members: Members, path = ''): [string, string[]][] {
  return Object.entries(members).flatMap(([name, member]) => {
    const inner = `${path}${name}`
    if (!isGroup(member)) {
      const { properties } = (member.notes.accepts ?? member.schema) as { readonly properties?: object }
      return properties && isSetting(member) ? [[inner, Object.keys(properties)]] : []
    }
    return [[inner, Object.keys(member.members)], ...listInnerMembers(member.members, `${inner}.`)]
  })
}

function deriveFlags(members: Members): FieldFlag[] {
  return listFields(members).flatMap(([path, field]) => {
    const { flag, readOnly } = field.notes
    return flag === 'none' || readOnly ? [] : [deriveFlag(path, field)]
  })
}

const KINDS: Readonly<Record<string, FieldFlag['kind']>> = { boolean: 'switch', integer: 'number', array: 'list' }

function deriveFlag(path: string, { schema, notes }: Field): FieldFlag {
  const name = path.slice(path.lastIndexOf('.') + 1)
  const flag = notes.flag === 'none' ? undefined : notes.flag
  const { type, enum: choices } = schema as { readonly type?: string; readonly enum?: readonly string[] }
  const kind = flag?.kind ?? KINDS[type ?? ''] ?? 'text'
  const value = flag?.value ?? (kind === 'number' ? 'N' : undefined)
  const help = (flag?.help ?? notes.description ?? name).replaceAll('`', '')
  return {
    flag: flag?.name ?? separateWords(name, '-'),
    member: path,
    kind,
    ...(value !== undefined && { value }),
    ...(choices && { choices }),
    description: [
      help,
      ...(choices ? [`: ${choices.join(' or ')}`] : []),
      ...(kind === 'list' ? ['; can be repeated'] : []),
    ].join(''),
  }
}
