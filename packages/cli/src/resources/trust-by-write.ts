import { isSecurityMember } from '@countersign/contract/resource'
import type { ControllerClient } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { getProfileName } from '../files/profiles.ts'
import { confirm } from '../session/confirm.ts'
import { withProfileFlag } from '../session/with-profile-flag.ts'
import { shellQuote } from '../shell-quote.ts'
import { label } from './find-by-name-or-id.ts'
import type { Members } from './references.ts'
import type { Item, ResourceDescription } from './resource-kind.ts'
import { describeWriter, findTrust } from './trust.ts'
import { alignRows, buildTrustRows } from './trust-rows.ts'

export const TRUSTING_WRITE_HELP =
  'The change of an untrusted item by an administrator trusts it: the command shows what it trusts, and asks.'

/** A change of an existing item. */
export interface ItemWrite {
  readonly kind: ResourceDescription
  readonly item: Item
  readonly members: Members
}

/** The changes that write a security member of an untrusted item, which trusts the whole item if an administrator makes them (D55). */
export async function listTrustingWrites(client: ControllerClient, writes: readonly ItemWrite[]): Promise<ItemWrite[]> {
  const trusting = writes.filter(
    ({ item, members }) => findTrust(item)?.state === 'untrusted' && Object.keys(members).some(isSecurityMember),
  )
  return trusting.length > 0 && (await client.currentIdentity()).isAdmin ? trusting : []
}

export async function isTrustingWrite(client: ControllerClient, write: ItemWrite): Promise<boolean> {
  return (await listTrustingWrites(client, [write])).length > 0
}

/** Prints what the change trusts, besides the members that it replaces. */
export function printTrustingWrite({ terminal }: Call, { kind, item, members }: ItemWrite): void {
  terminal.notice(
    `The ${kind.singular} ${label(item)} is untrusted, last written by ${describeWriter(item)}: this trusts it as it is.`,
  )
  // An object can be given in part, and then keeps its other members.
  const rows = buildTrustRows(kind.trustMembers ?? [], item).filter(([name]) => !isReplaced(members[name]))
  for (const line of alignRows(rows)) terminal.notice(`  ${line}`)
}

/** Prints what the change trusts, and asks. Throws when the user declines, and when the user cannot be asked: `--yes` confirms the change only. */
export async function confirmTrustingWrite(call: Call, write: ItemWrite): Promise<void> {
  const { kind, item } = write
  printTrustingWrite(call, write)
  if (call.flags.yes === true || !call.input.isInteractive) {
    const command = `countersign ${kind.plural} trust ${shellQuote(item.id)}`
    throw new CliError(`the ${kind.singular} ${label(item)} is untrusted, and this change would trust it`, {
      hint: `review it first: ${withProfileFlag(command, getProfileName(call))}`,
      exitCode: EXIT.refused,
    })
  }
  await confirm(call, `Trust the ${kind.singular} ${label(item)} as it is?`)
}

function isReplaced(value: unknown): boolean {
  return value !== undefined && (value === null || typeof value !== 'object' || Array.isArray(value))
}
