import type { IncomingMessage } from 'node:http'
import { type JsonValue, SCIM_URN } from '@countersign/core'
import { findPerson, PEOPLE, type Person } from './people.ts'
import { type ProviderResponse, readForm } from './provider-http.ts'

/** A SCIM request of the local provider. */
export interface ScimRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below the SCIM URL of the signer. */
  readonly path: string
  readonly body?: object
}

/** Sends a request to the controller. Resolves to the body of the response; rejects when it is refused. */
export type SendScim = (request: ScimRequest, token: string) => Promise<JsonValue | undefined>

interface ProvisionerParts {
  /** Undefined until the controller has started. */
  readonly send: () => SendScim | undefined
  /** Undefined until the demo data is created. */
  readonly token: () => string | undefined
}

interface Group {
  readonly value: string
  readonly display: string
}

interface User {
  readonly id: string
  readonly groups: readonly Group[]
}

type Send = (method: ScimRequest['method'], path: string, body?: object) => Promise<unknown>

/** Provisions a person and their groups at the controller by SCIM, as the agents of identity providers do: looks each up, then creates or changes it. */
export function createProvisioner({ send, token }: ProvisionerParts) {
  return async (request: IncomingMessage): Promise<ProviderResponse> => {
    const form = await readForm(request, { json: true })
    const members = 'members' in form ? form.members : new Map<string, string>()
    const person = findPerson(members.get('person'))
    if (!person) return refused(`person must be one of ${PEOPLE.map(({ id }) => id).join(', ')}`)
    const active = members.get('active') ?? 'true'
    if (active !== 'true' && active !== 'false') return refused('active must be true or false')
    const groups = groupsOf(members.get('groups')) ?? person.groups
    const [deliver, bearer] = [send(), token()]
    if (!deliver || bearer === undefined) return { status: 503, json: { error: 'temporarily_unavailable' } }
    const call: Send = (method, path, body) => deliver({ method, path, ...(body && { body }) }, bearer)
    try {
      const { id } = await provision(call, person, { active: active === 'true', groups })
      return { status: 200, json: { user: id, active: active === 'true', groups } }
    } catch (error) {
      const description = error instanceof Error ? error.message : 'the controller did not accept it'
      return { status: 502, json: { error: 'not_delivered', error_description: description } }
    }
  }
}

function groupsOf(text: string | undefined): string[] | undefined {
  const names = text?.split(',').map((name) => name.trim())
  return names?.filter((name) => name !== '')
}

interface Provisioning {
  readonly active: boolean
  readonly groups: readonly string[]
}

async function provision(call: Send, person: Person, { active, groups }: Provisioning): Promise<User> {
  const { email: userName, id: externalId, name: displayName } = person
  const found = await find<User>(call, '/Users', `userName eq ${JSON.stringify(userName)}`)
  const emails = [{ value: userName, type: 'work', primary: true }]
  const user = found
    ? ((await call('PATCH', `/Users/${found.id}`, patch({ op: 'replace', value: { displayName, active } }))) as User)
    : ((await call('POST', '/Users', {
        schemas: [SCIM_URN.user],
        ...{ userName, externalId, displayName, emails, active },
      })) as User)
  const { id } = user
  for (const { value, display } of user.groups) {
    if (groups.includes(display)) continue
    await call('PATCH', `/Groups/${value}`, patch({ op: 'remove', path: `members[value eq ${JSON.stringify(id)}]` }))
  }
  for (const name of groups) await join(call, name, id)
  return user
}

async function join(call: Send, displayName: string, userId: string): Promise<void> {
  const members = [{ value: userId }]
  const filter = `displayName eq ${JSON.stringify(displayName)}`
  const group = await find<{ readonly id: string }>(call, '/Groups', filter)
  await (group
    ? call('PATCH', `/Groups/${group.id}`, patch({ op: 'add', path: 'members', value: members }))
    : call('POST', '/Groups', { schemas: [SCIM_URN.group], displayName, members }))
}

async function find<Resource>(call: Send, path: string, filter: string): Promise<Resource | undefined> {
  const list = await call('GET', `${path}?filter=${encodeURIComponent(filter)}&excludedAttributes=members`)
  return (list as { readonly Resources: readonly Resource[] }).Resources[0]
}

function patch(operation: object) {
  return { schemas: [SCIM_URN.patch], Operations: [operation] }
}

function refused(description: string): ProviderResponse {
  return { status: 400, json: { error: 'invalid_request', error_description: description } }
}
