import type { Call } from '../command.ts'

/** Confirms a change that locks all administrators out: by its own flag, or by asking. `--yes` is not enough. */
export function createConfirmLockOut({ flags, input, terminal }: Call): (message: string) => Promise<boolean> {
  return async (message) => {
    if (flags['confirm-lock-out'] === true) return true
    if (!input.isInteractive) return false
    terminal.notice(`warning: ${message}`)
    const answer = await input.ask(
      'No administrator could log in after this change. Save it all the same? Type "lock out": ',
    )
    return answer.trim() === 'lock out'
  }
}
