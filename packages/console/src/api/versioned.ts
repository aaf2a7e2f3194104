/** An entity with the version that was read. Sent as `If-Match`, so that the server refuses to overwrite later changes. */
export type Versioned<Item> = Item & { readonly version?: string | undefined }

interface PatchableResource<Changes> {
  patch(id: string, changes: Changes, options: { readonly ifMatch: string | undefined }): Promise<unknown>
}

/** Saves what a form has changed, unless the entity was changed since it was read. Without a change nothing is sent. */
export async function saveChanges<Changes extends object>(
  resource: PatchableResource<Changes>,
  { id, version }: Versioned<{ readonly id: string }>,
  changes: Changes,
): Promise<void> {
  if (Object.keys(changes).length > 0) await resource.patch(id, changes, { ifMatch: version })
}

export interface VersionedResource<Item> {
  getVersioned(id: string): Promise<{ readonly item: Item; readonly version: string | undefined }>
}

export async function loadVersioned<Item extends object>(
  resource: VersionedResource<Item>,
  id: string,
): Promise<Versioned<Item>> {
  const { item, version } = await resource.getVersioned(id)
  return { ...item, version }
}
