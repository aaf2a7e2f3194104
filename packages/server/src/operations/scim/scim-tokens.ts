import { AppError } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { operation } from '../../store/operation.ts'
import { listScimTokens } from '../../store/reads/scim-token-reads.ts'
import { getSigner } from '../../store/reads/signer-reads.ts'
import { deleteScimToken as deleteRow, insertScimToken } from '../../store/writes/scim-token-writes.ts'
import { writerOf } from '../signer/writer-of.ts'

/** Two, so that one can be replaced while the other is in use. */
const MAX_TOKENS = 2

export interface CreateScimToken {
  readonly signerId: string
  readonly tokenId: string
  readonly tokenDigest: string
}

/** Adds a token with which the identity provider of a signer manages users and groups. Fails with SCIM_TOKEN_LIMIT. */
export const createScimToken = operation({
  name: 'scim.createToken',
  access: { entity: 'admin', action: 'change' },
  async run(tx, { signerId, tokenId, tokenDigest }: CreateScimToken): Promise<void> {
    await getSigner(tx.db, signerId)
    if ((await listScimTokens(tx.db, signerId)).length >= MAX_TOKENS) throw new AppError('SCIM_TOKEN_LIMIT')
    const { id, name } = writerOf(tx)
    await insertScimToken(tx, { id: tokenId, signerId, tokenDigest, createdBy: { id, name } })
  },
})

export const deleteScimToken = operation({
  name: 'scim.deleteToken',
  access: { entity: 'admin', action: 'change' },
  async run(tx, { signerId, tokenId }: Omit<CreateScimToken, 'tokenDigest'>): Promise<void> {
    await getSigner(tx.db, signerId)
    if (!(await deleteRow(tx, signerId, tokenId))) throw notFound('scimToken', tokenId)
  },
})
