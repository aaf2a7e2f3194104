import type { IdentitySettings } from '@countersign/core'
import { bool, instantOrNull, Joined, json, Packed, text, textOrNull } from './column.ts'
import type { ColumnsFor } from './column-map.ts'

const HOSTING = 'hosting'

/** Where the settings of an identity are stored; its attributes are in another table. */
export const IDENTITY_COLUMNS = {
  name: text(),
  externalId: textOrNull(),
  isAdmin: bool(),
  authPolicyId: text(),
  attributes: new Joined<readonly string[]>(),
  expiresAt: instantOrNull(),
  linkedSigners: json<IdentitySettings['linkedSigners']>(),
  permissions: json<IdentitySettings['permissions']>(),
  appData: json<IdentitySettings['appData']>(),
  defaultHostingCost: new Packed<number>(HOSTING),
  defaultHostingPrecedence: new Packed<IdentitySettings['defaultHostingPrecedence']>(HOSTING),
  serviceHostingCosts: new Packed<IdentitySettings['serviceHostingCosts']>(HOSTING),
  serviceHostingPrecedences: new Packed<IdentitySettings['serviceHostingPrecedences']>(HOSTING),
  tags: json<IdentitySettings['tags']>(),
} satisfies ColumnsFor<IdentitySettings>
