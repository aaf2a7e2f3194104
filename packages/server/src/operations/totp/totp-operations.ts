import { AppError } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { type ByWhom, getTouchableIdentity } from '../identity/touchable-identity.ts'
import { type CodeGuess, type CodeOutcome, spendCode } from './spend-code.ts'

export interface NewTotp {
  /** The identity's; every write here is about one, and goes on its record. */
  readonly id: string
  readonly totpId: string
  /** Sealed, as are the recovery codes. */
  readonly secret: string
  readonly recoveryCodes: string
}

/** Begins an enrollment, which asks nothing of anybody until it is verified. MFA_EXISTS when there is one. */
const startTotp: WriteOperation<NewTotp, void> = async (context, { id, totpId, secret, recoveryCodes }) => {
  const { db, now } = context
  await getVerifiedTotpId(context, id)
  const other = await db.selectFrom('totps').select('id').where('identity_id', '=', id).executeTakeFirst()
  if (other) throw new AppError('MFA_EXISTS')
  await db
    .insertInto('totps')
    .values({
      id: totpId,
      identity_id: id,
      secret,
      recovery_codes: recoveryCodes,
      spent_recovery_codes: 0,
      last_step: 0,
      created_at: now,
      updated_at: now,
    })
    .execute()
}

export interface GivenCode {
  readonly id: string
  readonly guess: CodeGuess
}

/** From now on codes are asked for, in every session but the one that has just shown one. */
const verifyTotp: WriteOperation<GivenCode & { sessionId: string }, CodeOutcome> = async (
  context,
  { id, sessionId, guess },
) => {
  if ((await getVerifiedTotpId(context, id)) !== null) throw new AppError('NOT_FOUND')
  const outcome = await spendCode(context, id, guess)
  if (outcome !== 'right') return outcome
  await writeVerified(context, id, guess.totpId)
  await markPassed(context, sessionId, guess.totpId)
  return outcome
}

/** Completes a session. */
const passTotp: WriteOperation<GivenCode & { sessionId: string }, CodeOutcome> = async (
  context,
  { sessionId, ...given },
) => {
  const outcome = await spendVerified(context, given)
  if (outcome === 'right') await markPassed(context, sessionId, given.guess.totpId)
  return outcome
}

const checkTotpCode: WriteOperation<GivenCode, CodeOutcome> = spendVerified

const renewRecoveryCodes: WriteOperation<GivenCode & { recoveryCodes: string }, CodeOutcome> = async (
  context,
  { recoveryCodes, ...given },
) => {
  const outcome = await spendVerified(context, given)
  if (outcome !== 'right') return outcome
  await context.db
    .updateTable('totps')
    .set({ recovery_codes: recoveryCodes, spent_recovery_codes: 0, updated_at: context.now })
    .where('id', '=', given.guess.totpId)
    .execute()
  return outcome
}

/** Its owner takes it away; a code is needed once it is verified. */
const removeTotp: WriteOperation<{ id: string; guess: CodeGuess | undefined }, CodeOutcome> = async (
  context,
  { id, guess },
) => {
  if ((await getVerifiedTotpId(context, id)) !== null) {
    const outcome = guess ? await spendCode(context, id, guess) : 'wrong'
    if (outcome !== 'right') return outcome
  }
  await deleteTotp(context, id)
  return 'right'
}

/** An administrator takes it away, for somebody who has lost his device. Wrong codes stay counted. */
const resetTotp: WriteOperation<ByWhom & { id: string }, void> = async (context, { id, ...by }) => {
  await getTouchableIdentity(context, id, by)
  await deleteTotp(context, id)
}

export const TOTP_WRITES = {
  'totp.start': startTotp,
  'totp.verify': verifyTotp,
  'totp.pass': passTotp,
  'totp.checkCode': checkTotpCode,
  'totp.renewRecoveryCodes': renewRecoveryCodes,
  'totp.remove': removeTotp,
  'totp.reset': resetTotp,
}

async function spendVerified(context: WriteContext, { id, guess }: GivenCode): Promise<CodeOutcome> {
  if ((await getVerifiedTotpId(context, id)) === null) throw new AppError('MFA_NOT_ENROLLED')
  return spendCode(context, id, guess)
}

async function getVerifiedTotpId({ db }: WriteContext, identityId: string): Promise<string | null> {
  const row = await db
    .selectFrom('identities')
    .select('verified_totp_id')
    .where('id', '=', identityId)
    .executeTakeFirst()
  if (!row) throw notFound('identity', identityId)
  return row.verified_totp_id
}

async function deleteTotp(context: WriteContext, identityId: string): Promise<void> {
  await context.db.deleteFrom('totps').where('identity_id', '=', identityId).execute()
  await writeVerified(context, identityId, null)
}

/** Sessions hang on their identity, so that all of them are judged anew from the next call on. */
async function writeVerified({ db, changed }: WriteContext, identityId: string, totpId: string | null): Promise<void> {
  await db.updateTable('identities').set({ verified_totp_id: totpId }).where('id', '=', identityId).execute()
  changed({ entity: 'identities', id: identityId, action: 'updated' })
}

async function markPassed({ db, changed }: WriteContext, sessionId: string, totpId: string): Promise<void> {
  await db.updateTable('api_sessions').set({ passed_totp_id: totpId }).where('id', '=', sessionId).execute()
  changed({ entity: 'apiSessions', id: sessionId, action: 'updated' })
}
