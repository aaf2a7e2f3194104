import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { buildSettingFlags, loadCallSettings } from '../load-call-settings.ts'
import { getFormat, printObject } from '../output/print-result.ts'
import { YES_FLAG } from '../session/call-flags.ts'
import { confirm } from '../session/confirm.ts'

export const recoverAdmin: Command = {
  args: [],
  flags: [YES_FLAG, ...buildSettingFlags(['data-dir', 'database'])],
  details: [
    'For the day on which no administrator can log in any more. Works on the files or the database of the controller,',
    'never over the network. Stop a controller with the embedded database first; nodes on PostgreSQL can keep running.',
    'Gives the first administrator a new password and ends its sessions. Enables it, removes its one-time codes, and,',
    'if its policy asks for more than a password, moves it to a new policy that does not.',
  ],
  examples: [
    { command: 'countersign recover-admin', description: 'for the controller of this directory' },
    {
      command: 'countersign recover-admin --data-dir /var/lib/countersign --yes',
      description: 'for another one, without asking; as the user that owns the files',
    },
  ],
  run: async (call) => {
    const { settings } = loadCallSettings(call)
    const where = settings.database === 'sqlite' ? settings.dataDir : 'the PostgreSQL database'
    await confirm(call, `Give the first administrator of the controller in ${where} a new password?`)
    const { recoverAdmin: recover } = await import('@countersign/server')
    const { explainStartupErrors } = await import('../explain-startup-errors.ts')
    // Files that SQLite creates beside the database are as private as it.
    process.umask(0o077)
    const { password, ...done } = await explainStartupErrors(recover(settings))
    if (getFormat(call) !== 'table') {
      await printObject(call, { ...done, password })
      return EXIT.ok
    }
    call.terminal.out(`user name  ${done.username}`)
    call.terminal.out(`password   ${password}`)
    if (done.wasDisabled) call.terminal.notice('the administrator was disabled, and is enabled again')
    if (done.hadCodes) call.terminal.notice('its one-time codes are removed: set up new ones under My account')
    if (done.policyName !== null) {
      call.terminal.notice(
        `its policy ${done.formerPolicyName} asks for more than a password: it has the policy "${done.policyName}" now. Move it back, then delete that policy`,
      )
    }
    return EXIT.ok
  },
}
