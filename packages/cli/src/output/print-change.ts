import type { Call } from '../command.ts'
import { label } from '../resources/find-by-name-or-id.ts'
import { getFormat, printData } from './print-result.ts'

interface Change {
  /** The past participle: `deleted`. */
  readonly action: string
  /** `signer` */
  readonly kind: string
  readonly item: { readonly id: string; readonly name?: string | undefined }
  /** Further members for programs. */
  readonly members?: object
  /** The end of the sentence for people: `; its token is in erika.jwt`. */
  readonly ending?: string
}

/** Prints what was done to an item: `deleted signer example (id)`, or an object with its id and name. */
export async function printChange(call: Call, { action, kind, item, members, ending = '' }: Change): Promise<void> {
  const { id, name } = item
  if (getFormat(call) === 'table') return call.terminal.out(`${action} ${kind} ${label(item)}${ending}`)
  await printData(call, { id, ...(name !== undefined && { name }), ...members })
}
