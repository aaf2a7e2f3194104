import { ControllerClient } from '@countersign/sdk'
import { CliError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { loadProfileKey } from '../files/dpop-keys.ts'
import { findProfile, getProfile, getProfileName, type Profile } from '../files/profiles.ts'
import { type Caller, findCaller, type NoCaller, noCaller } from '../hosted/find-caller.ts'
import { findHostedAddress, loadCa } from '../hosted/hosted-api.ts'
import { createTrustingFetch } from '../net/trusting-fetch.ts'
import { createConfirmLockOut } from './confirm-lock-out.ts'
import { explainUnauthorized, notLoggedIn } from './explain-unauthorized.ts'
import type { OpenedController } from './opened-controller.ts'
import { readSecondJwt, supplySecondJwt } from './second-jwt.ts'

/** A command can need the controller twice; an API account exchanges its token for one session only. */
const openedBefore = new WeakMap<Call, Promise<OpenedController>>()

/** The controller of the call, with the session of an API account or of the profile. Throws when there is neither. */
export function openController(call: Call): Promise<OpenedController> {
  const opened = openedBefore.get(call) ?? open(call)
  openedBefore.set(call, opened)
  return opened
}

async function open(call: Call): Promise<OpenedController> {
  const caller = await findManager(call)
  if ('tried' in caller) return openProfile(call, caller.tried)
  if ('session' in caller) return openProfile(call)
  const { openAsAccount } = await import('../hosted/open-as-account.ts')
  return openAsAccount(call, caller)
}

/**
 * The caller of the management API, or what was tried. Variables of other tools do not replace the login of a person: their tokens are for
 * another server.
 */
export async function findManager(call: Call): Promise<Caller | NoCaller> {
  const profile = findProfile(call.env, getProfileName(call))
  const hasSession = profile?.session !== undefined
  const url = findHostedAddress(call)?.url
  const caller = await findCaller(call, url, { withOtherTools: !hasSession })
  if ('tried' in caller && hasSession) throw noCaller(profile, url, caller)
  return caller
}

/** The controller of the profile, with its session and second token. Throws when the profile has no session; `tried` is then in the error too. */
export async function openProfile(call: Call, tried?: string): Promise<OpenedController> {
  const { name, profile } = getLogin(call, tried)
  call.terminal.debug(`profile ${name}: ${profile.url}, ${describeLogin(profile)}`)
  const { origin } = new URL(profile.url)
  const dpop = await loadProfileKey(profile.dpopKey)
  const fetch = createTrustingFetch({ origin, caPem: loadCa(call, profile.url), dpop })
  const second = (await readSecondJwt(call)) ?? profile.secondJwt
  const secondaryToken = second && supplySecondJwt(second)
  const { url, session, method } = profile
  const confirmLockOut = createConfirmLockOut(call)
  const client = new ControllerClient({ baseUrl: url, fetch, session, secondaryToken, confirmLockOut })
  return { client, url, method, explain: (work) => explainUnauthorized(call, client, work) }
}

function getLogin(call: Call, tried: string | undefined): ReturnType<typeof getProfile> {
  try {
    const { name, profile } = getProfile(call)
    if (profile.session === undefined) throw notLoggedIn(`you are logged out of ${profile.url}`, name, profile)
    return { name, profile }
  } catch (error) {
    if (!(error instanceof CliError) || tried === undefined) throw error
    const { messages, hint, exitCode } = error
    throw new CliError([...messages, tried], { hint, exitCode, cause: error })
  }
}

function describeLogin({ identity, method, session }: Profile): string {
  return session === undefined
    ? 'not logged in'
    : `logged in as ${identity?.name ?? 'unknown'} by ${method ?? 'session'}`
}
