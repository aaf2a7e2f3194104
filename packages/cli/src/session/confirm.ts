import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'

/** Asks before something that cannot be undone; `--yes` answers for a program. Throws when the answer is no. */
export async function confirm({ flags, input }: Call, question: string): Promise<void> {
  if (flags.yes === true) return
  if (!input.isInteractive) throw usageError('this asks before it is done, and there is nobody to ask', 'add --yes')
  const answer = await input.ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('nothing was done', { exitCode: EXIT.failure })
}
