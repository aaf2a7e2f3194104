import type { EnrollmentInput } from '@countersign/sdk'

type Method = EnrollmentInput['method']

/** What each kind of enrollment gives. */
export const ENROLLMENT_KINDS: readonly {
  readonly method: Method
  readonly label: string
  /** What the invited person does with it. */
  readonly use: string
}[] = [
  { method: 'ott', label: 'Certificate', use: 'Gives a certificate.' },
  { method: 'updb', label: 'Password', use: 'Lets the person choose a password.' },
  { method: 'ottca', label: 'Certificate of a CA', use: 'Needs a certificate of a third-party CA.' },
]

export const kindOf = (method: string) => ENROLLMENT_KINDS.find((kind) => kind.method === method)

/** How long invitations are offered to be valid. */
export const LIFETIMES = [
  { value: '3600', label: '1 hour' },
  { value: '10800', label: '3 hours' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
] as const
export const DEFAULT_LIFETIME = '10800'

/** The instant at which a lifetime that begins now ends. */
export const expiryOf = (lifetime: string, now: number): Date => new Date(now + Number(lifetime) * 1000)

export const isExpired = (expiresAt: string, now: number): boolean => Date.parse(expiresAt) <= now
