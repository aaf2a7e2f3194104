import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'

/** Asks for confirmation, unless `--yes` is set. Throws when the user declines. */
export async function confirm({ flags, input }: Call, question: string): Promise<void> {
  if (flags.yes === true) return
  if (!input.isInteractive) throw usageError('this needs confirmation, and there is no terminal to ask on', 'add --yes')
  const answer = await input.ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('cancelled: nothing was done', { exitCode: EXIT.failure })
}
