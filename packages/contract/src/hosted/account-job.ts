import { instant, nullable } from '../responses/response-members.ts'
import Type, { type Static } from '../schema/type.ts'

/**
 * Work at an identity provider for an API account: `create` and `rotate` its credentials there, `remove` a client or one of its secrets, `enable` or
 * disable its client as the account is.
 */
export const ACCOUNT_JOB_KINDS = ['create', 'rotate', 'remove', 'remove-secret', 'enable'] as const
export type AccountJobKind = (typeof ACCOUNT_JOB_KINDS)[number]

/**
 * `running`: a request is at work. `pending`: something is left to do at the provider, which the controller tries at `nextAttemptAt`. `failed`:
 * nothing is left there. `unknown`: a client may be left there that the controller cannot find.
 */
export const ACCOUNT_JOB_STATES = ['running', 'pending', 'failed', 'unknown'] as const
export type AccountJobState = (typeof ACCOUNT_JOB_STATES)[number]

/** A job that is not done yet, or has failed. Jobs that succeed are forgotten. */
export const AccountJob = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  identityProviderId: Type.String(),
  accountId: Type.String(),
  accountName: Type.String(),
  kind: Type.Enum<AccountJobKind[]>([...ACCOUNT_JOB_KINDS]),
  state: Type.Enum<AccountJobState[]>([...ACCOUNT_JOB_STATES]),
  clientId: nullable(Type.String()),
  clientName: nullable(Type.String({ description: 'The name of the client at the provider, where one may be left' })),
  error: nullable(Type.String()),
  attempts: Type.Integer(),
  nextAttemptAt: nullable(instant()),
  createdAt: instant(),
  updatedAt: instant(),
})
export type AccountJob = Readonly<Static<typeof AccountJob>>
