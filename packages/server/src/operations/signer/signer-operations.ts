import type { ExtJwtSignerPatch, ExtJwtSignerWrite } from '@countersign/contract'
import {
  AppError,
  checkEnrollRules,
  patchedSigner,
  type SignerSettings,
  signerFromBody,
  validateSigner,
} from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { insertRow } from '../../store/prepared.ts'
import { findEnrollPolicy } from '../../store/reads/signer-reads.ts'
import { refuseReferenced } from '../../store/referenced.ts'
import { readSignerRow, type SignerCertificateFacts, type StoredSigner, signerColumns } from '../../store/signer-row.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { keepingAdministrators } from '../identity/keeping-administrators.ts'
import type { ByWhom } from '../identity/touchable-identity.ts'
import { checkPowerOverSigner } from './power-over-signer.ts'
import { changesUniqueValue, findDuplicate, type SignerColumns, tellingDuplicate } from './signer-duplicates.ts'

const ENTITY = 'externalJwtSigners'
const BY_POLICIES = { entity: ENTITY, by: 'authPolicies' }

/** A body's `certPem`, already read and admitted; absent when the body has none. */
export interface WithCertificate extends ByWhom {
  readonly certificate: SignerCertificateFacts | undefined
}

const createSigner: WriteOperation<WithCertificate & { id: string; body: ExtJwtSignerWrite }, void> = async (
  context,
  { id, body, certificate, ...by },
) => {
  const signer = signerFromBody(body)
  checkPowerOverSigner(by, undefined, signer)
  const columns = signerColumns(signer, signer.certPem === null ? null : (certificate ?? null))
  await checkSigner(context, id, signer, columns)
  const { db, now } = context
  await tellingDuplicate(context, id, columns, () =>
    insertRow(db, 'ext_jwt_signers', {
      id,
      ...columns,
      written_by_admin: by.byAdmin,
      revision: 1,
      created_at: now,
      updated_at: now,
    }),
  )
  context.changed({ entity: ENTITY, id, action: 'created' })
}

const replaceSigner: WriteOperation<WithCertificate & { id: string; body: ExtJwtSignerWrite }, void> = async (
  context,
  { id, body, certificate, ...by },
) => {
  const current = await getSigner(context, id)
  await updateSigner(context, current, signerFromBody(body), certificate, by)
}

const patchSigner: WriteOperation<WithCertificate & { id: string; body: ExtJwtSignerPatch }, void> = async (
  context,
  { id, body, certificate, ...by },
) => {
  const current = await getSigner(context, id)
  const next = patchedSigner(current, body)
  if (next !== current) await updateSigner(context, current, next, certificate, by)
}

const deleteSigner: WriteOperation<{ id: string }, void> = async (context, { id }) => {
  const { db } = context
  await getSigner(context, id)
  const primary = db.selectFrom('auth_policy_signers').select('auth_policy_id as id').where('signer_id', '=', id)
  await refuseReferenced(primary, { ...BY_POLICIES, field: 'primary.extJwt.allowedSigners' })
  const secondary = db.selectFrom('auth_policies').select('id').where('require_ext_jwt_signer_id', '=', id)
  await refuseReferenced(secondary, { ...BY_POLICIES, field: 'secondary.requireExtJwtSigner' })
  await keepingAdministrators(context, async () => {
    await db.deleteFrom('ext_jwt_signers').where('id', '=', id).execute()
  })
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const SIGNER_WRITES = {
  'signer.create': createSigner,
  'signer.replace': replaceSigner,
  'signer.patch': patchSigner,
  'signer.delete': deleteSigner,
}

async function getSigner({ db }: WriteContext, id: string): Promise<StoredSigner> {
  const row = await db.selectFrom('ext_jwt_signers').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('externalJwtSigner', id)
  return readSignerRow(row)
}

async function updateSigner(
  context: WriteContext,
  current: StoredSigner,
  next: SignerSettings,
  certificate: SignerCertificateFacts | undefined,
  by: ByWhom,
): Promise<void> {
  checkPowerOverSigner(by, current, next)
  const columns = signerColumns(next, next.certPem === null ? null : (certificate ?? current.certificate))
  await checkSigner(context, current.id, next, columns)
  const { db, now } = context
  const update = () =>
    db
      .updateTable('ext_jwt_signers')
      .set({ ...columns, written_by_admin: by.byAdmin, revision: current.revision + 1, updated_at: now })
      .where('id', '=', current.id)
      .execute()
  const mayClash = changesUniqueValue(signerColumns(current, current.certificate), columns)
  const write = async () => {
    await (mayClash ? tellingDuplicate(context, current.id, columns, update) : update())
  }
  await (mayLockOut(current, next, by) ? keepingAdministrators(context, write) : write())
  context.changed({ entity: ENTITY, id: current.id, action: 'updated' })
}

/** Whether administrators who came in by the signer may be unable to afterwards. */
function mayLockOut(current: StoredSigner, next: SignerSettings, { byAdmin }: ByWhom): boolean {
  const wasTrusted = current.enabled && current.writtenByAdmin
  return wasTrusted && !(next.enabled && byAdmin && next.useExternalId === current.useExternalId)
}

/** Checks everything but uniqueness; of several problems the one is told that existing clients are told. */
async function checkSigner(context: WriteContext, id: string, signer: SignerSettings, columns: SignerColumns) {
  try {
    validateSigner(signer)
    checkEnrollRules(signer, await findEnrollPolicy(context.db, signer))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const duplicate = await findDuplicate(context, id, columns)
    const isToldFirst = duplicate && (isAbout('name', duplicate) || error.code === 'NOT_FOUND')
    throw isToldFirst ? duplicate : error
  }
}

function isAbout(field: string, { publicCause }: AppError): boolean {
  return publicCause !== undefined && 'field' in publicCause && publicCause.field === field
}
