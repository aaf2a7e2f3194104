interface AppliedStep {
  readonly version: number
  readonly name: string
}

/** The steps by which builds before the first release created the schema of `initial`. */
export const UNRELEASED_STEPS: readonly string[] = [
  'start',
  'signer-key-sets',
  'auth-decisions',
  'certificate-authenticators',
  'list-counts',
  'change-log-hashes',
  'hosted',
  'session-certificates',
  'totps',
  'enrollments',
  'session-counts',
  'started-sessions',
  'filed-sessions',
]

/** Whether exactly these steps were applied: the schema is then that of `initial`. */
export function isUnreleasedSchema(applied: readonly AppliedStep[]): boolean {
  return (
    applied.length === UNRELEASED_STEPS.length &&
    applied.every(({ version, name }, index) => version === index + 1 && name === UNRELEASED_STEPS[index])
  )
}
