import type { WhatIfChange } from '@countersign/sdk'

/** The change that a form would make: of an existing item its changed members, or a new item. */
export function proposedChange(
  kind: WhatIfChange['kind'],
  id: string | undefined,
  { body, changed }: { readonly body: object; readonly changed: object },
): WhatIfChange {
  return id === undefined ? { op: 'create', kind, body } : { op: 'update', kind, id, body: changed }
}
