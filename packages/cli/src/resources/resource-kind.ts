import type { ControllerClient, ListOptions, Page, PageOptions } from '@countersign/sdk'
import type { Column } from '../output/fit-table.ts'
import type { FieldFlag } from './field-flags.ts'

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
}
