/** What this tab knows of the first steps, in the query cache: the console stores nothing in the browser. */
export interface FirstStepsState {
  readonly wasEmpty?: boolean
  readonly isTokenTested?: boolean
  readonly isHidden?: boolean
}

export const FIRST_STEPS_KEY = ['first-steps'] as const

type Summary = Readonly<Record<string, number>>

/** Whether there is no signer, or no identity but the first administrator. */
export function isEmptyInstallation(summary: Summary): boolean {
  const { provider, person } = stepsDone(summary, {})
  return !provider || !person
}

export function stepsDone({ externalJwtSigners = 0, identities = 0 }: Summary, { isTokenTested }: FirstStepsState) {
  return { provider: externalJwtSigners > 0, token: isTokenTested === true, person: identities > 1 }
}
