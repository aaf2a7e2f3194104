import type { Actor } from './actor.ts'
import type { ChangedEntity } from './change.ts'
import type { OperationAccess } from './operation-access.ts'
import type { Transaction } from './transaction.ts'

interface OperationParts {
  /** Unique; it names the operation on its way to the writer thread. */
  readonly name: string
  /** The entity that `args.id` names: its version is compared with `If-Match`, and its earlier state goes on record. */
  readonly target?: ChangedEntity
  /** False for what leaves the settings of entities as they were, such as counting a code. */
  readonly isRecorded?: false
  /** False when it looks at nothing but the rows it changes: on PostgreSQL it then need not take turns with other operations. */
  readonly takesTurns?: false
}

/**
 * One state change: authorises the actor and writes, in one transaction, with its change-log entries. Arguments and result must be JSON, since
 * they cross a thread. An `AppError` that `run` throws undoes everything and reaches the caller as thrown.
 */
export interface Operation<Args, Result, Access extends OperationAccess = OperationAccess> extends OperationParts {
  readonly access: Access
  run(tx: AuthorizedTransaction, args: Args): Promise<Result>
}

/** A transaction whose actor was read in it and may run the operation. */
export interface AuthorizedTransaction extends Transaction {
  readonly actor: Actor
}

export function operation<Args, Result, const Access extends Exclude<OperationAccess, 'none'>>(
  definition: OperationParts & {
    readonly access: Access
    run(tx: AuthorizedTransaction, args: Args): Promise<Result>
  },
): Operation<Args, Result, Access>
export function operation<Args, Result>(
  definition: OperationParts & { readonly access: 'none'; run(tx: Transaction, args: Args): Promise<Result> },
): Operation<Args, Result, 'none'>
export function operation<Args, Result>(definition: Operation<Args, Result>): Operation<Args, Result> {
  return definition
}

/** An operation whatever it takes and returns, for tables of operations. */
// biome-ignore lint/suspicious/noExplicitAny: arguments are checked where an operation is run
export type AnyOperation = Operation<any, unknown>
