/** What a session lacks, by the name in the API. */
const LABELS: Readonly<Record<string, string>> = {
  totp: 'Needs a one-time code',
  'totp-enrollment': 'Must set up one-time codes',
  passkey: 'Needs a passkey',
  'ext-jwt': 'Needs a second token',
  'acr-insufficient': 'Needs a stronger login (acr)',
  'amr-insufficient': 'Needs a stronger login (amr)',
  'authentication-too-old': 'Needs a newer login',
}

export const missingLabel = (name: string): string => LABELS[name] ?? name
