import type { ATTRIBUTE_ORIGINS } from '@countersign/contract/identity'

/** How a signer supplies attributes. The parts of different channels are independent of each other. */
export type AttributeChannel = 'token' | 'scim'

/** The attributes that a signer supplies through one channel, sorted. */
export interface SuppliedAttributes {
  readonly signerId: string
  readonly channel: AttributeChannel
  readonly attributes: readonly string[]
}

/** The attributes of an identity by origin. An attribute can have several. */
export interface AttributeParts {
  /** Written by administrators. */
  readonly manualAttributes: readonly string[]
  readonly suppliedAttributes: readonly SuppliedAttributes[]
}

/** Where an attribute comes from, as responses show it. */
export interface AttributeOrigin {
  readonly attribute: string
  readonly origin: (typeof ATTRIBUTE_ORIGINS)[number]
  readonly signerId?: string
}

/** All attributes of an identity, sorted. */
export function unionOfAttributes({ manualAttributes, suppliedAttributes }: AttributeParts): readonly string[] {
  if (suppliedAttributes.length === 0) return manualAttributes
  return sortedUnique([...manualAttributes, ...suppliedAttributes.flatMap(({ attributes }) => attributes)])
}

/** One entry per attribute and origin, sorted by attribute. */
export function attributeOrigins({ manualAttributes, suppliedAttributes }: AttributeParts): AttributeOrigin[] {
  const manual = manualAttributes.map((attribute): AttributeOrigin => ({ attribute, origin: 'manual' }))
  if (suppliedAttributes.length === 0) return manual
  const bySigner = Map.groupBy(suppliedAttributes, ({ signerId }) => signerId)
  const supplied = [...bySigner].flatMap(([signerId, parts]) =>
    sortedUnique(parts.flatMap(({ attributes }) => attributes)).map(
      (attribute): AttributeOrigin => ({ attribute, origin: 'signer', signerId }),
    ),
  )
  return [...manual, ...supplied].sort((a, b) => (a.attribute < b.attribute ? -1 : a.attribute > b.attribute ? 1 : 0))
}

/** The attributes that a signer supplies through a channel. */
export function attributesSuppliedBy(
  { suppliedAttributes }: Pick<AttributeParts, 'suppliedAttributes'>,
  signerId: string,
  channel: AttributeChannel,
): readonly string[] {
  return suppliedAttributes.find((part) => part.signerId === signerId && part.channel === channel)?.attributes ?? []
}

/**
 * The manual part after an administrator wrote all attributes. What a signer supplies stays the signer's unless it was manual already: clients
 * send back the whole list that they have read.
 */
export function manualAttributesAfterWrite(
  { manualAttributes, suppliedAttributes }: AttributeParts,
  written: readonly string[],
): readonly string[] {
  if (suppliedAttributes.length === 0) return written
  const supplied = new Set(suppliedAttributes.flatMap(({ attributes }) => attributes))
  const manual = new Set(manualAttributes)
  return written.filter((attribute) => manual.has(attribute) || !supplied.has(attribute))
}

export const sortedUnique = <Text extends string>(values: readonly Text[]): Text[] => [...new Set(values)].sort()
