import type { Members } from '@countersign/contract/resource'
import type { ControllerClient, ListOptions, Page, PageOptions } from '@countersign/sdk'
import type { Column } from '../output/fit-table.ts'
import type { TrustMember } from './trust-members.ts'

export interface Item {
  readonly id: string
  readonly name?: string
  readonly [member: string]: unknown
}

/** The methods of an SDK collection that the commands use, for any item type. */
export interface Collection {
  list(options?: ListOptions): AsyncIterable<Item>
  page(options?: PageOptions): Promise<Page<Item>>
  get(id: string): Promise<Item>
}

interface IfMatch {
  readonly ifMatch?: string | undefined
}

export interface DeletableCollection extends Collection {
  delete(id: string, options?: IfMatch): Promise<void>
}

export interface WritableCollection extends DeletableCollection {
  getVersioned(id: string): Promise<{ item: Item; version: string | undefined }>
  create(body: object): Promise<string>
  patch(id: string, changes: object, options?: IfMatch): Promise<void>
  replace(id: string, body: object, options?: IfMatch): Promise<void>
}

/** A flag that sets one member of a body. */
export interface FieldFlag {
  readonly flag: string
  /** The path of the member: `primary.cert.allowed`. */
  readonly member: string
  /** How the value is parsed. A list is given by repeating the flag. */
  readonly kind: 'text' | 'file' | 'files' | 'keys' | 'secret' | 'number' | 'switch' | 'list'
  readonly value?: string
  /** The only values that the member has. */
  readonly choices?: readonly string[]
  readonly description: string
}

/** Describes the members of a resource. */
export interface ResourceDescription {
  /** `signers` */
  readonly plural: string
  /** `signer` */
  readonly singular: string
  /** Whether items have names as well as ids. */
  readonly hasNames: boolean
  /** The members by the contract. */
  readonly members: Members
  readonly fields: readonly FieldFlag[]
  /** The default members of a new item. */
  readonly defaults: object
  /** The writable members, in the order of `edit` and `export`. */
  readonly writable: readonly string[]
  /** Other members that requests accept: aliases. */
  readonly alsoAccepted?: readonly string[]
  /** Members of responses that are ignored in requests, so that a whole response can be sent back. */
  readonly readOnly: readonly string[]
  /** The known members of nested objects, by path. Objects that are not listed can have any members. */
  readonly innerMembers?: Readonly<Record<string, readonly string[]>>
  /** Members of which exactly one is set: an update that sets one clears the others. */
  readonly exclusive?: readonly string[]
  /** A PATCH takes `{}` for "not given", as existing clients of this resource mean it. */
  readonly ignoresEmptyObjects?: true
  /** What is shown before an item is trusted; undefined for resources that need no trust. */
  readonly trustMembers?: readonly TrustMember[]
  /**
   * Warnings about probable mistakes. Only the response for a single item contains those of the controller; those that depend on other items
   * need `client`.
   */
  warningsOf?(item: Item, client?: ControllerClient): readonly string[] | Promise<readonly string[]>
}

/** A resource of the management API, for the generic commands. */
export interface ResourceKind<C extends Collection = WritableCollection> extends ResourceDescription {
  open(client: ControllerClient): C
  /** The order of lists. Default: by name, or by id. */
  readonly defaultSort?: string
  readonly columns: readonly Column<Item>[]
}
