import {
  type PasskeyCreate as CreateBody,
  type PasskeyFactor as FactorBody,
  PasskeyCreate,
  PasskeyFactor,
  PasskeyPatch,
  type PasskeyPatch as PatchBody,
} from '@countersign/contract'
import { checkPlainText, fieldError } from '@countersign/core'
import { OwnPasskeys, type OwnPasskeysParts, type PasskeyRequest } from '../../login/passkeys/own-passkeys.ts'
import type { PasskeyLogin } from '../../login/passkeys/passkey-login.ts'
import type { SecondFactor } from '../../login/second-factor.ts'
import { removePasskey, renamePasskey } from '../../operations/passkey/change-passkey.ts'
import type { Clock } from '../../platform/clock.ts'
import { getPasskey, listPasskeys } from '../../store/reads/passkey-reads.ts'
import { onBothApis } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { missingFactors } from '../pipeline/challenge.ts'
import { created, detail, done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, type RouteResponse, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { type PasskeyPartyParts, passkeyPartyOf } from './passkey-party.ts'
import { passkeyView } from './passkey-view.ts'

interface PasskeyRouteParts extends OwnPasskeysParts, PasskeyPartyParts {
  readonly clock: Clock
  readonly secondFactor: SecondFactor
  readonly passkeyLogin: Pick<PasskeyLogin, 'options'>
}

const COLLECTION = 'current-identity/passkeys'
const NO_STORE = { 'cache-control': 'no-store' }

/** Login by passkey begins here and ends at `/authenticate`. The rest are the caller's own passkeys. */
export function passkeyRoutes(parts: PasskeyRouteParts): Route[] {
  const { store, clock, secondFactor, passkeyLogin } = parts
  const own = new OwnPasskeys(parts)

  const requestOf = (call: Call, secondSigner = call.secondSigner): PasskeyRequest => {
    const { session, source, accessToken } = call
    return {
      id: call.requestId,
      remoteAddr: call.remoteAddr,
      clientAddress: call.clientAddress,
      session: sessionOf(call),
      meta: operationMeta({ session, source, accessToken, secondSigner }, clock.now()),
    }
  }

  const options = (json: unknown): RouteResponse => ({ ...detail(json), headers: NO_STORE })

  /** A session that lacks only a passkey can add the first one: otherwise a policy that requires one would keep new identities out. */
  const checkMayRegister = async (call: Call): Promise<PasskeyRequest> => {
    const { missing, signer } = await secondFactor.check(sessionOf(call), call.untrustedBearers, call.tokenContext)
    const lacksNothingElse = missing.every((factor) => factor.kind === 'passkey' && !factor.isEnrolled)
    if (!lacksNothingElse) throw missingFactors(missing)
    return requestOf(call, signer)
  }

  const ownPasskey = (call: Call) => getPasskey(store.db, call.params.id ?? '', sessionOf(call).identity.id)

  return [
    {
      method: 'POST',
      paths: onBothApis('/authenticate/passkey-options'),
      access: 'anonymous',
      rate: 'attempt',
      bodyCap: 'anonymous',
      body: null,
      onlyReads: true,
      note: describe.one('PasskeyRequestOptions', 'Begin a login by passkey', {
        description:
          'Returns the options for `navigator.credentials.get()`. Its result is the member `passkey` in the body of `POST /authenticate?method=passkey`. The challenge is valid once, for five minutes.',
      }),
      handle: async (call) => options(await passkeyLogin.options(passkeyPartyOf(parts, call))),
    },
    {
      method: 'POST',
      paths: onBothApis('/current-api-session/passkey-options'),
      access: 'partial-session',
      bodyCap: 'anonymous',
      body: null,
      onlyReads: true,
      note: describe.one('PasskeyRequestOptions', 'Begin to complete the session with a passkey'),
      handle: async (call) => options(await own.completionOptions(sessionOf(call), passkeyPartyOf(parts, call))),
    },
    {
      method: 'POST',
      paths: onBothApis('/authenticate/passkey'),
      access: 'partial-session',
      bodyCap: 'anonymous',
      body: { schema: PasskeyFactor, optional: false },
      note: describe.done('Complete the session with a passkey as second factor'),
      handle: async (call) => {
        await own.complete(requestOf(call), (call.body as FactorBody).passkey)
        return done()
      },
    },
    {
      method: 'GET',
      paths: onBothApis(`/${COLLECTION}`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.wholeList('Passkey', 'List the caller’s passkeys'),
      handle: async (call) => {
        const rows = await listPasskeys(store.db, sessionOf(call).identity.id)
        return detail(rows.map((row) => passkeyView(row, COLLECTION)))
      },
    },
    {
      method: 'POST',
      paths: onBothApis('/current-identity/passkey-options'),
      access: 'partial-session',
      bodyCap: 'anonymous',
      body: null,
      onlyReads: true,
      note: describe.one('PasskeyCreationOptions', 'Begin to add a passkey', {
        description:
          'Returns the options for `navigator.credentials.create()`. The login must not be older than 15 minutes, and the session complete; only the first passkey can be added by a session that lacks nothing but a passkey.',
      }),
      handle: async (call) => {
        const { session } = await checkMayRegister(call)
        return options(await own.registrationOptions(session, passkeyPartyOf(parts, call)))
      },
    },
    {
      method: 'POST',
      paths: onBothApis(`/${COLLECTION}`),
      access: 'partial-session',
      bodyCap: 'anonymous',
      body: { schema: PasskeyCreate, optional: false },
      changesOwn: true,
      note: describe.created('Add a passkey'),
      handle: async (call) => {
        const request = await checkMayRegister(call)
        return created(COLLECTION, await own.register(request, call.body as CreateBody))
      },
    },
    {
      method: 'GET',
      paths: onBothApis(`/${COLLECTION}/:id`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.one('Passkey', 'Get one of the caller’s passkeys'),
      handle: async (call) => detail(passkeyView(await ownPasskey(call), COLLECTION)),
    },
    {
      method: 'PATCH',
      paths: onBothApis(`/${COLLECTION}/:id`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: { schema: PasskeyPatch, optional: false },
      changesOwn: true,
      note: describe.done('Rename one of the caller’s passkeys'),
      handle: async (call) => {
        const name = (call.body as PatchBody).name.trim()
        if (name === '') throw fieldError('name', 'name is required', name)
        checkPlainText('name', name)
        await store.run(renamePasskey, { id: call.params.id ?? '', name }, operationMeta(call, clock.now()))
        return done()
      },
    },
    {
      method: 'DELETE',
      paths: onBothApis(`/${COLLECTION}/:id`),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      // Not `changesOwn`: each was added first, which is limited, and nothing must keep an owner from removing that of a thief.
      note: describe.done('Remove one of the caller’s passkeys', {
        parameters: ['confirmLockOut'],
        description: 'Ends the sessions that the passkey has opened or completed, except the caller’s.',
      }),
      handle: async (call) => {
        await store.run(removePasskey, { id: call.params.id ?? '' }, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
