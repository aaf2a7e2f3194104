import { endSessionsOf } from '../../src/operations/api-session/end-session.ts'
import { patchAuthPolicy } from '../../src/operations/auth-policy/update-auth-policy.ts'
import { createPasswordAuthenticator } from '../../src/operations/authenticator/create-authenticator.ts'
import { deleteAuthenticator } from '../../src/operations/authenticator/delete-authenticator.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { deleteIdentity } from '../../src/operations/identity/delete-identity.ts'
import { disableIdentity, enableIdentity } from '../../src/operations/identity/disable-identity.ts'
import { type CastIdentity, newName, POLICIES } from './cast.ts'
import { endSessions, type Stage, send } from './client.ts'
import type { SimulatedNode } from './simulated-node.ts'

type Action = (stage: Stage, node: SimulatedNode) => Promise<void>

/** Of an existing identity. */
type IdentityAction = (stage: Stage, node: SimulatedNode, identity: CastIdentity) => Promise<void>

/** An action that ends all sessions of an identity. */
const endingThoseOfAny =
  (act: IdentityAction): Action =>
  async (stage, node) => {
    const { cast, random } = stage
    // An identity with a session.
    const identity = random.find(cast.sessions.slice(-NEWEST))?.identity
    if (!identity) return
    identity.isEnding = true
    const sessions = cast.sessions.filter((session) => session.identity === identity).slice(-2)
    await endSessions(stage, sessions, () => act(stage, node, identity))
  }

const NEWEST = 20

/** Creates an identity with a password. */
export const create: Action = async (stage, node) => {
  const { cast, random, keptWrites } = stage
  const name = newName(cast, 'identity')
  const identity: CastIdentity = {
    name,
    id: name,
    authenticatorId: `password-of-${name}`,
    policyId: random.pick(POLICIES),
    isEnding: false,
    isDeleting: false,
  }
  const { id, authenticatorId, policyId } = identity
  const body = { name, type: 'Default', isAdmin: false, authPolicyId: policyId } as const
  const created = await send(stage, node, `create ${name}`, ({ store }, meta) =>
    store.run(createIdentity, { id, body }, meta()),
  )
  if (created.outcome !== 'acknowledged') return
  const isExcused = () => identity.isDeleting
  keptWrites.expect({ write: `create ${name}`, table: 'identities', id, isPresent: true, isExcused })
  const password = { id: authenticatorId, identityId: id, username: name, passwordDigest: 'x' }
  const { outcome } = await send(stage, node, `create the password of ${name}`, ({ store }, meta) =>
    store.run(createPasswordAuthenticator, password, meta()),
  )
  if (outcome === 'acknowledged') cast.identities.push(identity)
}

const disable: IdentityAction = async (stage, node, { id, name }) => {
  await send(stage, node, `disable ${name}`, ({ store }, meta) =>
    store.run(disableIdentity, { id, durationMinutes: 0 }, meta()),
  )
}

const revokeAll: IdentityAction = async (stage, node, { id, name }) => {
  await send(stage, node, `revoke all sessions of ${name}`, ({ store }, meta) =>
    store.run(endSessionsOf, { identityId: id }, meta()),
  )
}

export const enableAny: Action = async (stage, node) => {
  const identity = stage.random.find(stage.cast.identities)
  if (!identity) return
  const { id, name } = identity
  await send(stage, node, `enable ${name}`, ({ store }, meta) => store.run(enableIdentity, { id }, meta()))
}

const remove: IdentityAction = async (stage, node, identity) => {
  const { id, name } = identity
  identity.isDeleting = true
  const { outcome } = await send(stage, node, `delete ${name}`, ({ store }, meta) =>
    store.run(deleteIdentity, { id }, meta()),
  )
  if (outcome === 'acknowledged')
    stage.keptWrites.expect({ write: `delete ${name}`, table: 'identities', id, isPresent: false })
}

const removePassword: IdentityAction = async (stage, node, { authenticatorId: id, name }) => {
  const write = `delete the password of ${name}`
  const { outcome } = await send(stage, node, write, ({ store }, meta) =>
    store.run(deleteAuthenticator, { id }, meta()),
  )
  if (outcome === 'acknowledged') stage.keptWrites.expect({ write, table: 'authenticators', id, isPresent: false })
}

/** Allows or forbids logins by password, which changes the sessions of its identities with it. */
export const changePolicy: Action = async (stage, node) => {
  const { random, keptWrites, scheduler, cast } = stage
  const id = random.pick(POLICIES)
  const allowed = random.isTrue(0.7)
  const { number, acknowledge } = keptWrites.startVersion(id, () => scheduler.elapsedMs())
  const body = { primary: { updb: { allowed } }, tags: { version: number } }
  const what = `${allowed ? 'allow' : 'forbid'} passwords in ${id}, version ${number}`
  const sessions = cast.sessions.slice(-NEWEST).filter(({ identity }) => identity.policyId === id)
  await endSessions(stage, sessions.slice(-2), async () => {
    const { outcome } = await send(stage, node, what, ({ store }, meta) =>
      store.run(patchAuthPolicy, { id, body }, meta()),
    )
    if (outcome === 'acknowledged') acknowledge()
  })
}

export const disableAny = endingThoseOfAny(disable)
export const revokeAllOfAny = endingThoseOfAny(revokeAll)
export const removeAny = endingThoseOfAny(remove)
export const removePasswordOfAny = endingThoseOfAny(removePassword)
