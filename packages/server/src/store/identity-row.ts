import {
  type AttributeChannel,
  type AttributeParts,
  type IdentitySettings,
  type RevocationCause,
  unionOfAttributes,
} from '@countersign/core'
import { bool, instant, instantOrNull, Joined, json, text, textOrNull } from './columns/column.ts'
import { type CellsOf, type ColumnsFor, createReader, createWriter } from './columns/column-map.ts'
import { IDENTITY_COLUMNS } from './columns/identity-columns.ts'
import type { IdentityAttributeTable, IdentityRow } from './schema.ts'

export interface StoredIdentity extends IdentitySettings, AttributeParts {
  readonly id: string
  readonly typeId: string
  readonly isDefaultAdmin: boolean
  readonly disabledAt: number | null
  readonly disabledUntil: number | null
  /** Whether `expiresAt` has been reached. It stays so when the clock goes back, until an administrator changes `expiresAt`. */
  readonly hasExpired: boolean
  /** The signer whose token enrolled the identity; null for others, and for those of earlier releases. */
  readonly enrolledBySignerId: string | null
  /** A signer whose security event disables the identity; null when it is enabled, or was disabled otherwise. */
  readonly disabledBySignerId: string | null
  /** By signer: the latest security event that disabled or enabled the account, also where the identity stayed as it was. */
  readonly accountEvents: Readonly<Record<string, AccountEvent>>
  /** By signer: when the latest token was issued that changed the identity, in seconds. */
  readonly syncedTokens: Readonly<Record<string, number>>
  /** The verified TOTP enrollment; an identity with one must enter a code. */
  readonly verifiedTotpId: string | null
  readonly envInfo: Readonly<Record<string, string>>
  readonly sdkInfo: Readonly<Record<string, string>>
  readonly createdAt: number
  readonly updatedAt: number
}

export interface AccountEvent {
  /** When it was issued, in milliseconds since 1970. */
  readonly at: number
  /** Whether it disabled the account, and no administrator undid that. */
  readonly isDisabled?: boolean
  /** What disabled the account: the name of a security event, or SCIM. Absent in events of earlier releases. */
  readonly cause?: RevocationCause
  /** Until when the identity was disabled for another reason. Only of the signer in `disabledBySignerId`. */
  readonly lockedUntil?: number
}

const STORED_IDENTITY = {
  id: text(),
  ...IDENTITY_COLUMNS,
  typeId: text(),
  isDefaultAdmin: bool(),
  disabledAt: instantOrNull(),
  disabledUntil: instantOrNull(),
  hasExpired: bool(),
  enrolledBySignerId: textOrNull(),
  disabledBySignerId: textOrNull(),
  accountEvents: json<StoredIdentity['accountEvents']>(),
  syncedTokens: json<StoredIdentity['syncedTokens']>(),
  manualAttributes: new Joined<readonly string[]>(),
  suppliedAttributes: new Joined<StoredIdentity['suppliedAttributes']>(),
  verifiedTotpId: textOrNull(),
  envInfo: json<StoredIdentity['envInfo']>(),
  sdkInfo: json<StoredIdentity['sdkInfo']>(),
  createdAt: instant(),
  updatedAt: instant(),
} satisfies ColumnsFor<StoredIdentity>

const readRow = createReader<IdentityRow, StoredIdentity, AttributeParts & { readonly attributes: readonly string[] }>(
  STORED_IDENTITY,
)

/** The row of an attribute: `signer_id` and `channel` are empty for those of administrators. */
export type AttributeRow = Pick<IdentityAttributeTable, 'attribute' | 'signer_id' | 'channel'>

/** `rows` are the attributes of the identity, ordered by attribute. */
export function identityFromRow(row: IdentityRow, rows: readonly AttributeRow[]): StoredIdentity {
  const parts = attributePartsOf(rows)
  return readRow(row, { ...parts, attributes: unionOfAttributes(parts) })
}

const NONE_SUPPLIED: AttributeParts['suppliedAttributes'] = []

function attributePartsOf(rows: readonly AttributeRow[]): AttributeParts {
  const namesOf = (some: readonly AttributeRow[]) => some.map(({ attribute }) => attribute)
  const supplied = rows.filter(({ signer_id: signerId }) => signerId !== '')
  if (supplied.length === 0) return { manualAttributes: namesOf(rows), suppliedAttributes: NONE_SUPPLIED }
  const byOrigin = Map.groupBy(supplied, ({ signer_id: signerId, channel }) => `${channel} ${signerId}`)
  return {
    manualAttributes: namesOf(rows.filter(({ signer_id: signerId }) => signerId === '')),
    suppliedAttributes: [...byOrigin.values()].map((part) => ({
      signerId: part[0]?.signer_id ?? '',
      channel: part[0]?.channel as AttributeChannel,
      attributes: namesOf(part),
    })),
  }
}

/** The columns of an identity; its attributes are in another table. */
export const identityColumns = createWriter<IdentitySettings, CellsOf<typeof IDENTITY_COLUMNS> & { hosting: string }>(
  IDENTITY_COLUMNS,
)

/** Whether an identity is disabled at `now`: without an end, or until `disabledUntil`. */
export function isDisabled(identity: Pick<StoredIdentity, 'disabledAt' | 'disabledUntil'>, now: number): boolean {
  return identity.disabledAt !== null && (identity.disabledUntil === null || now < identity.disabledUntil)
}

/** Whether the access of an identity has ended at `now`. */
export function isExpired(
  { expiresAt, hasExpired }: Pick<StoredIdentity, 'expiresAt' | 'hasExpired'>,
  now: number,
): boolean {
  return hasExpired || (expiresAt !== null && now >= expiresAt)
}

/** What decides whether an identity has access. */
export type IdentityAccess = Pick<StoredIdentity, 'disabledAt' | 'disabledUntil' | 'expiresAt' | 'hasExpired'>

/** Whether an identity can log in and use its sessions at `now`. */
export function hasAccess(identity: IdentityAccess, now: number): boolean {
  return !isDisabled(identity, now) && !isExpired(identity, now)
}

/** Most identities are much smaller. */
const CHARACTERS_PER_ENTRY = 4_096

type WeighedIdentity = Pick<StoredIdentity, 'tags' | 'appData' | 'attributes' | 'envInfo' | 'sdkInfo'>

/** How many entries of a cache an identity counts as, with further text: callers with few rights give it 32 KiB of tags and `appData`. */
export function weightOfIdentity(
  { tags, appData, attributes, envInfo, sdkInfo }: WeighedIdentity,
  further = 0,
): number {
  const members = [tags, appData, attributes, envInfo, sdkInfo]
  const length = members.reduce<number>((sum, member) => sum + JSON.stringify(member).length, further)
  return 1 + Math.floor(length / CHARACTERS_PER_ENTRY)
}
