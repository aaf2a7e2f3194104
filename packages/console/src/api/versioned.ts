/** A thing, and the version of it that was read: whoever changes it says so, and is refused when it is another one by then. */
export type Versioned<Item> = Item & { readonly version?: string | undefined }

interface VersionedResource<Item> {
  getVersioned(id: string): Promise<{ readonly item: Item; readonly version: string | undefined }>
}

/** Reads one thing of a collection together with its version. */
export async function loadVersioned<Item extends object>(
  resource: VersionedResource<Item>,
  id: string,
): Promise<Versioned<Item>> {
  const { item, version } = await resource.getVersioned(id)
  return { ...item, version }
}
