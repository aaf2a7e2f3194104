import type { SessionClaims } from '../token/session-claims.ts'
import type { AuthPolicySettings } from './auth-policy-settings.ts'

/** What a token says about the login at the identity provider. */
export type LoginClaims = Pick<SessionClaims, 'acr' | 'amr' | 'authenticatedAt'>

/** Why the login at the identity provider does not suffice for a policy (RFC 9470). A closed set: decisions use these values. */
export const STEP_UP_REASONS = ['acr-insufficient', 'amr-insufficient', 'authentication-too-old'] as const
export type StepUpReason = (typeof STEP_UP_REASONS)[number]

/** The requirements of a policy for the login at the identity provider. */
export type LoginRequirements = Pick<
  AuthPolicySettings['primary']['extJwt'],
  'requireAcr' | 'requireAmr' | 'maxAuthAgeSeconds'
>

/** Providers whose clock is slightly ahead are common; a later time would let a login count as recent for longer. */
export const MAX_AHEAD_MS = 60_000

const RULES: Readonly<Record<StepUpReason, (policy: LoginRequirements, claims: LoginClaims, now: number) => boolean>> =
  {
    'acr-insufficient': ({ requireAcr }, { acr }) =>
      requireAcr.length > 0 && (acr === null || !requireAcr.includes(acr)),
    'amr-insufficient': ({ requireAmr }, { amr }) => !requireAmr.every((method) => amr?.includes(method) === true),
    'authentication-too-old': ({ maxAuthAgeSeconds }, { authenticatedAt }, now) =>
      maxAuthAgeSeconds !== null &&
      (authenticatedAt === null ||
        now - authenticatedAt > maxAuthAgeSeconds * 1000 ||
        authenticatedAt > now + MAX_AHEAD_MS),
  }

/** Whether the login at the identity provider lacks this. */
export function isStepUpNeeded(
  reason: StepUpReason,
  policy: LoginRequirements,
  claims: LoginClaims,
  now: number,
): boolean {
  return RULES[reason](policy, claims, now)
}

/** Returns the first thing that the login at the identity provider lacks; undefined when it suffices. */
export function findStepUp(policy: LoginRequirements, claims: LoginClaims, now: number): StepUpReason | undefined {
  return STEP_UP_REASONS.find((reason) => isStepUpNeeded(reason, policy, claims, now))
}
