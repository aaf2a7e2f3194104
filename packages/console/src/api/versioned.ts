/** An entity with the version that was read. Sent as `If-Match`, so that the server refuses to overwrite later changes. */
export type Versioned<Item> = Item & { readonly version?: string | undefined }

interface VersionedResource<Item> {
  getVersioned(id: string): Promise<{ readonly item: Item; readonly version: string | undefined }>
}

export async function loadVersioned<Item extends object>(
  resource: VersionedResource<Item>,
  id: string,
): Promise<Versioned<Item>> {
  const { item, version } = await resource.getVersioned(id)
  return { ...item, version }
}
