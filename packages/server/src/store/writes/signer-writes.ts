import type { ExtJwtSignerPatch, ExtJwtSignerWrite } from '@countersign/contract'
import {
  AppError,
  checkEnrollRules,
  enrollPolicyId,
  patchedSigner,
  type SignerSettings,
  signerFromBody,
  validateSigner,
} from '@countersign/core'
import { notFound } from '../not-found.ts'
import { type SignerCertificateFacts, type StoredSigner, signerColumns, signerFromRow } from '../signer-row.ts'
import { refusingDuplicates } from '../unique-violation.ts'
import type { WriteContext, WriteOperation } from '../write-operation.ts'

const ENTITY = 'externalJwtSigners'

/** A body's `certPem`, already read and admitted; absent when the body has none. */
interface WithCertificate {
  readonly certificate: SignerCertificateFacts | undefined
  readonly byAdmin: boolean
}

const createSigner: WriteOperation<WithCertificate & { id: string; body: ExtJwtSignerWrite }, void> = async (
  context,
  { id, body, certificate, byAdmin },
) => {
  const signer = signerFromBody(body)
  const facts = signer.certPem === null ? null : (certificate ?? null)
  await checkSigner(context, signer)
  const { db, now } = context
  await refusingDuplicates(uniqueValues(signer, facts), () =>
    db
      .insertInto('ext_jwt_signers')
      .values({
        id,
        ...signerColumns(signer, facts),
        written_by_admin: byAdmin,
        revision: 1,
        created_at: now,
        updated_at: now,
      })
      .execute(),
  )
  context.changed({ entity: ENTITY, id, action: 'created' })
}

const replaceSigner: WriteOperation<WithCertificate & { id: string; body: ExtJwtSignerWrite }, void> = async (
  context,
  { id, body, certificate, byAdmin },
) => {
  const current = await getSigner(context, id)
  const next = signerFromBody(body)
  await updateSigner(context, current, next, certificate, byAdmin)
}

const patchSigner: WriteOperation<WithCertificate & { id: string; body: ExtJwtSignerPatch }, void> = async (
  context,
  { id, body, certificate, byAdmin },
) => {
  const current = await getSigner(context, id)
  if (Object.keys(body).length === 0) return
  await updateSigner(context, current, patchedSigner(current, body), certificate, byAdmin)
}

const deleteSigner: WriteOperation<{ id: string }, void> = async (context, { id }) => {
  const { db } = context
  await getSigner(context, id)
  const primary = await db
    .selectFrom('auth_policy_signers')
    .select('auth_policy_id as id')
    .where('signer_id', '=', id)
    .orderBy('auth_policy_id')
    .limit(MAX_NAMED_REFERENCES)
    .execute()
  refuseReferenced('primary.extJwt.allowedSigners', primary)
  const secondary = await db
    .selectFrom('auth_policies')
    .select('id')
    .where('require_ext_jwt_signer_id', '=', id)
    .orderBy('id')
    .limit(MAX_NAMED_REFERENCES)
    .execute()
  refuseReferenced('secondary.requireExtJwtSigner', secondary)
  await db.deleteFrom('ext_jwt_signers').where('id', '=', id).execute()
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const SIGNER_WRITES = {
  'signer.create': createSigner,
  'signer.replace': replaceSigner,
  'signer.patch': patchSigner,
  'signer.delete': deleteSigner,
}

const MAX_NAMED_REFERENCES = 20

function refuseReferenced(field: string, policies: readonly { id: string }[]): void {
  if (policies.length === 0) return
  const ids = `[${policies.map(({ id }) => id).join(' ')}]`
  const reason = `entity type externalJwtSigners referenced by authPolicies: ${ids}`
  throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { field, reason, value: ids })
}

async function getSigner({ db }: WriteContext, id: string): Promise<StoredSigner> {
  const row = await db.selectFrom('ext_jwt_signers').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('externalJwtSigner', id)
  return signerFromRow(row)
}

async function updateSigner(
  context: WriteContext,
  current: StoredSigner,
  next: SignerSettings,
  certificate: SignerCertificateFacts | undefined,
  byAdmin: boolean,
): Promise<void> {
  const facts = next.certPem === null ? null : (certificate ?? current.certificate)
  await checkSigner(context, next)
  const { db, now } = context
  const columns = { ...signerColumns(next, facts), written_by_admin: byAdmin }
  await refusingDuplicates(uniqueValues(next, facts), () =>
    db
      .updateTable('ext_jwt_signers')
      .set({ ...columns, revision: current.revision + 1, updated_at: now })
      .where('id', '=', current.id)
      .execute(),
  )
  context.changed({ entity: ENTITY, id: current.id, action: 'updated' })
}

async function checkSigner({ db }: WriteContext, signer: SignerSettings): Promise<void> {
  validateSigner(signer)
  const policy = await db
    .selectFrom('auth_policies')
    .select(['cert_allowed', 'ext_jwt_allowed'])
    .where('id', '=', enrollPolicyId(signer))
    .executeTakeFirst()
  checkEnrollRules(
    signer,
    policy && { certAllowed: Boolean(policy.cert_allowed), extJwtAllowed: Boolean(policy.ext_jwt_allowed) },
  )
}

function uniqueValues(signer: SignerSettings, facts: SignerCertificateFacts | null) {
  const { name, issuer, kid } = signer
  return { name, issuer, kid: kid ?? facts?.fingerprint, fingerprint: facts?.fingerprint }
}
