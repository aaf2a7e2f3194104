import { usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { getSourceName, loadTextArgument, loadTextFile } from '../files/load-text-file.ts'
import { checkMembers, listAccepted, pickAccepted } from './check-members.ts'
import { nameType } from './pick-writable.ts'
import type { FieldFlag, ResourceKind } from './resource-kind.ts'

type Body = Record<string, unknown>

const FILE_KINDS: ReadonlySet<FieldFlag['kind']> = new Set(['file', 'files', 'keys', 'secret'])
const LIST_KINDS: ReadonlySet<FieldFlag['kind']> = new Set(['list', 'files', 'keys'])

/** The flags of these fields, plus `--file` and `--set` for all others. */
export function buildFieldFlags(fields: readonly FieldFlag[]): Flag[] {
  return [
    ...fields.map(
      ({ flag: name, kind, value = FILE_KINDS.has(kind) ? 'FILE' : 'TEXT', choices, description }): Flag => {
        if (kind === 'switch') return { name, negatable: true, description }
        const repeatable = LIST_KINDS.has(kind) && { repeatable: true }
        return { name, value, description, ...repeatable, ...(choices && { choices }) }
      },
    ),
    { name: 'file', short: 'f', value: 'FILE', description: 'Read members from this YAML or JSON file, - for stdin' },
    {
      name: 'set',
      value: 'MEMBER=VALUE',
      repeatable: true,
      description: 'Set any member, the value as YAML: --set tags.team=iam',
    },
  ]
}

/**
 * Builds the request body from the file, then the flags, then `--set`. Throws for unknown members. A file can be a whole response: its
 * read-only members are ignored.
 */
export async function buildBody(call: Call, kind: ResourceKind, createOnly: readonly string[] = []): Promise<Body> {
  const { flags } = call
  const known = [...listAccepted(kind), ...createOnly]
  const body: Body = {}
  if (typeof flags.file === 'string') {
    const members = pickAccepted(kind, await loadMembers(call, flags.file), { where: getSourceName(flags.file), known })
    Object.assign(body, members, 'type' in members && { type: nameType(members.type) })
  }
  for (const field of kind.fields) {
    const given = flags[field.flag]
    if (given !== undefined) setMember(body, field.member, await readValue(field, given, call))
  }
  // The key has it.
  if (kind.fields.some((field) => field.kind === 'keys' && flags[field.flag] !== undefined)) delete body.kid
  for (const pair of Array.isArray(flags.set) ? flags.set.map(String) : []) {
    const { path, value } = await parsePair(pair)
    const only: Body = {}
    setMember(only, path, value)
    checkMembers(kind, only, { where: '--set', known })
    setMember(body, path, value)
  }
  return body
}

async function parsePair(pair: string): Promise<{ readonly path: string; readonly value: unknown }> {
  const [path = '', ...value] = pair.split('=')
  if (path === '' || value.length === 0) throw usageError(`--set ${pair} sets nothing`, 'write --set MEMBER=VALUE')
  return { path, value: await parseYaml(value.join('=')) }
}

/** The library prints warnings by itself, with the characters of the text, which may control a terminal. */
export async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml')
  return parse(text, { maxAliasCount: 0, logLevel: 'error' })
}

/** Parses a YAML object; JSON is valid YAML. Throws for other values. */
export async function parseMembers(text: string, source: string): Promise<Body> {
  let value: unknown
  try {
    value = await parseYaml(text)
  } catch (cause) {
    throw usageError(`${source}: ${(cause as Error).message.split('\n')[0]}`, 'it must be YAML or JSON')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Body
  throw usageError(`${source} is not an object`, 'write them as YAML: name: value')
}

async function loadMembers(call: Call, path: string): Promise<Body> {
  return parseMembers(await loadTextArgument(call, path), getSourceName(path))
}

type Given = NonNullable<Call['flags'][string]>
type Read = (given: Given, field: FieldFlag, call: Call) => unknown

const listOf = (given: Given): string[] => (Array.isArray(given) ? given : [given]).map(String)

/** How the value of a flag becomes that of its member. Others are sent as given. */
const READERS: Readonly<Partial<Record<FieldFlag['kind'], Read>>> = {
  file: (given) => loadTextFile(String(given)),
  files: (given) => listOf(given).map(loadTextFile),
  secret: (given) => loadTextFile(String(given)).replace(/\r?\n$/, ''),
  keys: async (given, _, { flags }) => {
    const { loadPublicKeys } = await import('./public-keys.ts')
    return loadPublicKeys(listOf(given), typeof flags.kid === 'string' ? flags.kid : undefined)
  },
  list: listOf,
  number: readNumber,
}

function readValue(field: FieldFlag, given: Given, call: Call): unknown {
  return READERS[field.kind]?.(given, field, call) ?? given
}

function readNumber(given: Given, { flag }: FieldFlag): number {
  const number = Number(given)
  if (!Number.isFinite(number)) throw usageError(`--${flag} must be a number`, `got "${String(given)}"`)
  return number
}

function setMember(body: Body, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.')
  if (['__proto__', 'constructor', 'prototype'].includes(first))
    throw usageError(`there is no member ${path}`, 'name a member of the API')
  if (rest.length === 0) {
    body[first] = value
    return
  }
  const inner = body[first]
  const next: Body = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Body) : {}
  body[first] = next
  setMember(next, rest.join('.'), value)
}
