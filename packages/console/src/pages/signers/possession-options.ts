import type { PossessionKind } from '@countersign/contract/ext-jwt-signer'

const LABELS: Readonly<Record<PossessionKind, string>> = {
  none: 'Not required',
  any: 'A client certificate or DPoP',
  dpop: 'DPoP (RFC 9449)',
  mtls: 'A client certificate (RFC 8705)',
}

export const POSSESSION_OPTIONS: readonly { readonly value: string; readonly label: string }[] = Object.entries(
  LABELS,
).map(([value, label]) => ({ value, label }))

export const possessionLabel = (kind: PossessionKind): string => LABELS[kind]
