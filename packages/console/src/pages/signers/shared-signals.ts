import type { Signer } from '@countersign/sdk'
import { httpsUrl, required } from '../../form/rules.ts'

type SharedSignals = NonNullable<Signer['sharedSignals']>
type Action = SharedSignals['actions'][string]

/** The events with an input of their own. '' stands for the default action. */
export const SIGNAL_EVENTS = [
  { name: 'session-revoked', usual: 'End sessions' },
  { name: 'credential-change', usual: 'End sessions' },
  { name: 'token-claims-change', usual: 'Log' },
  { name: 'account-disabled', usual: 'Disable' },
  { name: 'account-enabled', usual: 'Enable' },
] as const

/** The form values of `sharedSignals`. */
export interface SignalValues {
  isOn: boolean
  audience: string
  issuer: string
  jwksUri: string
  /** By event name; other events of the signer are kept. */
  actions: Record<string, Action | ''>
}

export function toSignalValues(signals: SharedSignals | null | undefined): SignalValues {
  const { audience = '', issuer = '', jwksUri = '', actions = {} } = signals ?? {}
  const unset = Object.fromEntries(SIGNAL_EVENTS.map(({ name }) => [name, '' as const]))
  return { isOn: Boolean(signals), audience, issuer, jwksUri, actions: { ...unset, ...actions } }
}

export function toSharedSignals({ isOn, audience, issuer, jwksUri, actions }: SignalValues): SharedSignals | null {
  if (!isOn) return null
  const chosen = Object.entries(actions).filter((entry): entry is [string, Action] => entry[1] !== '')
  return {
    audience,
    ...(issuer !== '' && { issuer }),
    ...(jwksUri !== '' && { jwksUri }),
    actions: Object.fromEntries(chosen),
  }
}

type FormValues = { readonly sharedSignals: SignalValues }

export const SIGNAL_RULES = {
  audience: (value: string, { sharedSignals: { isOn } }: FormValues) => (isOn ? required('The audience')(value) : null),
  jwksUri: (value: string, { sharedSignals: { isOn } }: FormValues) => (isOn ? httpsUrl(false)(value) : null),
}
