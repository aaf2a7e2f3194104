import type {
  AuthenticatorMethod,
  AuthenticatorCreate as CreateBody,
  AuthenticatorPatch as PatchBody,
} from '@countersign/contract'
import {
  AppError,
  checkPlainText,
  fieldError,
  hasAllPermissionsOf,
  type JsonObject,
  readTags,
  type Tags,
} from '@countersign/core'
import {
  createCertificateAuthenticator,
  createPasswordAuthenticator,
} from '../../operations/authenticator/create-authenticator.ts'
import { updateAuthenticator } from '../../operations/authenticator/update-authenticator.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthenticator } from '../../store/reads/authenticator-reads.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from '../pipeline/call.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { sessionOf } from '../pipeline/route.ts'
import { digestNewPassword, type NewPasswordParts } from '../shared/new-password.ts'
import { type NewCertificateParts, readNewCertificate } from './new-certificate.ts'

export interface AuthenticatorChangesParts extends NewCertificateParts, NewPasswordParts {
  readonly store: Pick<Store, 'db' | 'run'>
}

interface NewAuthenticator {
  readonly id: string
  readonly identityId: string
  readonly tags: Tags
}

/** Creates and changes authenticators for administrators: checks the body, digests the password and runs the operation. */
export class AuthenticatorChanges {
  readonly #parts: AuthenticatorChangesParts

  constructor(parts: AuthenticatorChangesParts) {
    this.#parts = parts
  }

  async create(call: Call, id: string, body: CreateBody): Promise<void> {
    const tags = readTags('tags', (body.tags ?? {}) as JsonObject)
    await this.#createBy[body.method](call, { id, identityId: body.identityId, tags }, body)
  }

  /** Replacing a password authenticator needs its user name and password. */
  replace(call: Call, id: string, body: PatchBody): Promise<void> {
    return this.#update(call, id, body, true)
  }

  patch(call: Call, id: string, body: PatchBody): Promise<void> {
    return this.#update(call, id, body, false)
  }

  readonly #createBy: Readonly<
    Record<AuthenticatorMethod, (call: Call, authenticator: NewAuthenticator, body: CreateBody) => Promise<void>>
  > = {
    updb: async (call, authenticator, body) => {
      const { username, password } = checkPasswordMembers(body)
      checkPlainText('username', username)
      const identity = await this.#getChangeableIdentity(call, authenticator.identityId)
      const passwordDigest = await this.#digest(call, identity, password)
      const args = { ...authenticator, username, passwordDigest }
      await this.#parts.store.run(createPasswordAuthenticator, args, this.#meta(call))
    },
    cert: async (call, authenticator, { certPem }) => {
      if (!certPem) throw fieldError('certPem', 'certPem in body is required', undefined)
      await this.#getChangeableIdentity(call, authenticator.identityId)
      const args = { ...authenticator, ...(await readNewCertificate(this.#parts, certPem)) }
      await this.#parts.store.run(createCertificateAuthenticator, args, this.#meta(call))
    },
  }

  async #update(call: Call, id: string, body: PatchBody, isReplace: boolean): Promise<void> {
    const { username, password, certPem, tags } = body
    const { store } = this.#parts
    const row = await findAuthenticator(store.db, id)
    if (!row) throw notFound('authenticator', id)
    const identity = await this.#getChangeableIdentity(call, row.identity_id)
    // Only the client can renew a certificate, since it alone has the key of the next one.
    if (certPem && certPem !== row.cert_pem) throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
    if (isReplace && row.method === 'updb') checkPasswordMembers(body)
    if (username) checkPlainText('username', username)
    const change = {
      id,
      username: username || undefined,
      passwordDigest: password ? await this.#digest(call, identity, password) : undefined,
      tags: tags && readTags('tags', tags as JsonObject),
    }
    await store.run(updateAuthenticator, change, this.#meta(call))
  }

  /** Refuses early, before the slow digest of a password. The operation authorises the actor again in its transaction. */
  async #getChangeableIdentity(call: Call, identityId: string): Promise<StoredIdentity> {
    const identity = await findIdentity(this.#parts.store.db, identityId)
    if (!identity) throw notFound('identity', identityId)
    if (!hasAllPermissionsOf(sessionOf(call).identity, identity)) throw new AppError('UNAUTHORIZED')
    return identity
  }

  #digest(call: Call, identity: StoredIdentity, password: string): Promise<string> {
    return digestNewPassword(this.#parts, identity, password, sessionOf(call).identity.id)
  }

  #meta(call: Call) {
    return operationMeta(call, this.#parts.clock.now())
  }
}

function checkPasswordMembers({ username, password }: Pick<CreateBody, 'username' | 'password'>) {
  if (!username) throw fieldError('username', 'username in body is required', undefined)
  if (!password) throw fieldError('password', 'password in body is required', undefined)
  return { username, password }
}
