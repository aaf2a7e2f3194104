import type { ControllerClient, ListOptions, Page, PageOptions } from '@countersign/sdk'
import type { Column } from '../output/fit-table.ts'

/** Something with an id and, mostly, a name. */
export interface Thing {
  readonly id: string
  readonly name?: string
  readonly [member: string]: unknown
}

/** What the commands need of a collection of the SDK, whatever its items are. */
export interface Collection {
  list(options?: ListOptions): AsyncIterable<Thing>
  page(options?: PageOptions): Promise<Page<Thing>>
  get(id: string): Promise<Thing>
  delete(id: string): Promise<void>
}

export interface WritableCollection extends Collection {
  getVersioned(id: string): Promise<{ item: Thing; version: string | undefined }>
  create(body: object): Promise<string>
  patch(id: string, changes: object, options?: { readonly ifMatch?: string | undefined }): Promise<void>
}

/** A flag that sets one member of a body. */
export interface FieldFlag {
  readonly flag: string
  /** The member; dots lead inside: `primary.cert.allowed`. */
  readonly member: string
  /** What is made of the text: a list is given by repeating the flag. */
  readonly kind: 'text' | 'file' | 'number' | 'switch' | 'list'
  readonly value?: string
  readonly description: string
}

/** What a resource is called, what its tables show and what its flags set. */
export interface ResourceKind<C extends Collection = WritableCollection> {
  /** `signers` */
  readonly plural: string
  /** `signer` */
  readonly singular: string
  /** Whether it goes by a name as well as by its id. */
  readonly hasNames: boolean
  open(client: ControllerClient): C
  readonly columns: readonly Column<Thing>[]
  readonly fields: readonly FieldFlag[]
  /** Members that a new one has unless told otherwise. */
  readonly defaults: object
  /** The members that people may write, in the order of `edit` and `export`. */
  readonly writable: readonly string[]
  /** Further members that bodies may have: other names for the same, and what belongs to an overlay that is not ours. */
  readonly alsoTaken?: readonly string[]
  /** Members of answers that are passed over in bodies, so that a whole answer can be sent back. */
  readonly readOnly: readonly string[]
  /** What members that are objects may hold, by their paths. Those that are not here hold what they like. */
  readonly innerMembers?: Readonly<Record<string, readonly string[]>>
  /** What is allowed but probably not meant, in the controller's words. Only the answer for one of them has it. */
  warningsOf?(thing: Thing): readonly string[]
}
