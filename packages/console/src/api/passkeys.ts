import type { Passkey } from '@countersign/sdk'
import type {
  PublicKeyCredentialCreationOptionsJSON as CreationOptions,
  PublicKeyCredentialRequestOptionsJSON as RequestOptions,
} from '@simplewebauthn/browser'
import { queryOptions } from '@tanstack/react-query'
import { call } from './call.ts'
import { CallFailed } from './call-failed.ts'
import { CLIENT, MANAGEMENT } from './paths.ts'
import { queries } from './queries.ts'
import { CONSOLE_SESSION, reloadSession } from './session.ts'

const OWN = `${CLIENT}/current-identity/passkeys`
const OWN_KEY = ['own', 'passkeys'] as const

/** Whether this browser can use passkeys at all. */
export const hasPasskeys = (): boolean => typeof window.PublicKeyCredential === 'function'

/** Loaded when a passkey is used: most logins need none. */
const library = () => import('@simplewebauthn/browser')

async function optionsOf<Options>(path: string): Promise<Options> {
  const { data } = await call<{ data: Options }>('POST', `${CLIENT}${path}`)
  return data
}

export async function logInByPasskey(): Promise<void> {
  const optionsJSON = await optionsOf<RequestOptions>('/authenticate/passkey-options')
  const passkey = await (await library()).startAuthentication({ optionsJSON })
  await call('POST', `${CONSOLE_SESSION}/passkey`, { passkey })
  await reloadSession()
}

/** A challenge is valid for five minutes. */
const AUTOFILL_MS = 240_000

/**
 * Lets the browser offer passkeys among the suggestions for the user name, and logs in with the chosen one. Resolves when there was none. Throws the refusal
 * of the login.
 */
export async function logInByAutofill(): Promise<void> {
  if (!(await window.PublicKeyCredential?.isConditionalMediationAvailable?.())) return
  const { data } = await call<{ data: { hasPasskeys: boolean } }>('GET', CONSOLE_SESSION)
  if (!data.hasPasskeys) return
  const { startAuthentication } = await library()
  const optionsJSON = await optionsOf<RequestOptions>('/authenticate/passkey-options')
  // Rejected when another request for a passkey takes its place, and when the page is left.
  const passkey = await startAuthentication({ optionsJSON, useBrowserAutofill: true }).catch(() => undefined)
  if (passkey === undefined) return
  await call('POST', `${CONSOLE_SESSION}/passkey`, { passkey })
  await reloadSession()
}

/** Calls `logInByAutofill` now, and again before its challenge expires. Returns a function that stops it. */
export function startAutofill(onRefused: (error: unknown) => void): () => void {
  const offer = () => void logInByAutofill().catch((error) => error instanceof CallFailed && onRefused(error))
  offer()
  const timer = setInterval(offer, AUTOFILL_MS)
  return () => {
    clearInterval(timer)
    void library().then(({ WebAuthnAbortService }) => WebAuthnAbortService.cancelCeremony())
  }
}

/** Completes the session with a passkey as second factor. */
export async function completeWithPasskey(): Promise<void> {
  const optionsJSON = await optionsOf<RequestOptions>('/current-api-session/passkey-options')
  const passkey = await (await library()).startAuthentication({ optionsJSON })
  await call('POST', `${CLIENT}/authenticate/passkey`, { passkey })
  await reloadSession()
}

/** Creates a passkey in a device and adds it to the caller's identity. */
export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = await optionsOf<CreationOptions>('/current-identity/passkey-options')
  const credential = await (await library()).startRegistration({ optionsJSON })
  await call('POST', OWN, { name, credential })
  await reloadOwnPasskeys()
}

export const ownPasskeysQuery = queryOptions({
  queryKey: OWN_KEY,
  queryFn: async () => (await call<{ data: readonly Passkey[] }>('GET', OWN)).data,
})

const reloadOwnPasskeys = () => queries.invalidateQueries({ queryKey: OWN_KEY })

export async function renamePasskey(id: string, name: string): Promise<void> {
  await call('PATCH', `${OWN}/${encodeURIComponent(id)}`, { name })
  await reloadOwnPasskeys()
}

/** The caller's other sessions that rest on it end. */
export async function removePasskey(id: string): Promise<void> {
  await call('DELETE', `${OWN}/${encodeURIComponent(id)}`)
  await queries.invalidateQueries()
}

const ofIdentity = (identityId: string) => `${MANAGEMENT}/identities/${encodeURIComponent(identityId)}/passkeys`

export const identityPasskeysQuery = (identityId: string) =>
  queryOptions({
    queryKey: ['identities', 'passkeys', identityId],
    queryFn: async () => (await call<{ data: readonly Passkey[] }>('GET', ofIdentity(identityId))).data,
  })

export async function resetPasskey(identityId: string, id: string): Promise<void> {
  await call('DELETE', `${ofIdentity(identityId)}/${encodeURIComponent(id)}`)
}

/** What went wrong in the browser, in words; undefined for other errors. */
export function describePasskeyError(error: unknown): string | undefined {
  const name = error instanceof Error ? error.name : ''
  return Object.hasOwn(BROWSER_ERRORS, name) ? BROWSER_ERRORS[name] : undefined
}

const BROWSER_ERRORS: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The passkey was not used: it was cancelled, took too long, or this device has none for this address.',
  InvalidStateError: 'This device already has a passkey for your identity.',
  SecurityError:
    'The browser does not allow passkeys at this address: its certificate must be trusted, and it must have a host name.',
  NotSupportedError: 'This device does not support the passkeys that are needed here.',
  AbortError: 'Another request for a passkey took its place. Try again.',
}
