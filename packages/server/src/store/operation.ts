import type { Actor } from './actor.ts'
import type { ChangedEntity } from './change.ts'
import type { OperationAccess } from './operation-access.ts'
import type { Transaction } from './transaction.ts'

interface OperationParts {
  /** Unique: the writer thread looks operations up by name. */
  readonly name: string
  /** The entity type of `args.id`: its version is compared with `If-Match`, and its previous state is recorded. */
  readonly target?: ChangedEntity
  /** False for operations that change no settings of an entity, such as counting a code. */
  readonly isRecorded?: false
  /** Whether the audit record has the sessions that it ends, which are of one identity: those of others than the actor, which follow from no other change. */
  readonly recordsSessions?: true
}

interface UnlockedParts {
  /**
   * False when the operation reads only rows that it changes or locks: on PostgreSQL it then runs without the lock that serializes operations.
   * Not for operations that authorise an actor, whose rights could change before they commit.
   */
  readonly needsWriteLock?: false
  /**
   * True when the operation waits for no row except the identity of the actor, which its first statement locks: other rows that it locks are new, or
   * changed under that lock only. On PostgreSQL such operations share a transaction. Others have one of their own: two transactions with several
   * of them would lock rows in different orders, and wait for each other.
   */
  readonly locksOnlyActor?: true
}

/**
 * One state change: authorises the actor and writes, in one transaction, with its change-log entries. Arguments and result must be JSON, since
 * they cross a thread. An `AppError` that `run` throws undoes everything and reaches the caller as thrown.
 */
export interface Operation<Args, Result, Access extends OperationAccess = OperationAccess>
  extends OperationParts,
    UnlockedParts {
  readonly access: Access
  run(tx: AuthorizedTransaction, args: Args): Promise<Result>
  /** Whether that which the events of its meta report has happened; by default whenever it does not throw. */
  hasHappened?(result: Result): boolean
}

/** A transaction with an actor that has been authorised in it. */
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
  definition: OperationParts &
    UnlockedParts &
    Pick<Operation<Args, Result>, 'hasHappened'> & {
      readonly access: 'none'
      run(tx: Transaction, args: Args): Promise<Result>
    },
): Operation<Args, Result, 'none'>
export function operation<Args, Result>(definition: Operation<Args, Result>): Operation<Args, Result> {
  return definition
}

/** An operation of any argument and result type, for tables of operations. */
// biome-ignore lint/suspicious/noExplicitAny: arguments are checked where an operation is run
export type AnyOperation = Operation<any, unknown>
