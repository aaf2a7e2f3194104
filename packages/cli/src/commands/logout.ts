import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { getProfile, removeProfile, saveProfile } from '../files/profiles.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { PROFILE_FLAG, QUIET_FLAG, VERBOSE_FLAG } from '../session/call-flags.ts'

/** `countersign logout`: end the session and remove it from the profile. */
export const logout: Command = {
  args: [],
  flags: [
    { name: 'forget', description: 'Remove the profile, with its address and trusted CA' },
    PROFILE_FLAG,
    QUIET_FLAG,
    VERBOSE_FLAG,
  ],
  examples: [{ command: 'countersign logout --profile ci', description: 'end the session of the profile "ci"' }],
  async run(call) {
    const { name, profile } = getProfile(call)
    if (profile.session !== undefined) {
      const { openProfile } = await import('../session/open-controller.ts')
      const { isSdkError } = await import('../to-cli-error.ts')
      try {
        await (await openProfile(call)).client.logOut()
      } catch (error) {
        // A 401 means that the session has ended already. If the controller is unreachable, the session expires.
        if (!isSdkError(error)) throw error
        if (error.status !== 401)
          call.terminal.note(`the session could not be ended on the controller: ${error.message}`)
      }
    }
    const { session: _, identity: __, method: ___, credentials: ____, secondJwt: _____, ...rest } = profile
    if (call.flags.forget === true) removeProfile(call.env, name)
    else saveProfile(call.env, name, rest)
    if (getFormat(call) === 'table') call.terminal.out(`logged out of ${profile.url}`)
    else await printData(call, { profile: name, url: profile.url }, () => name)
    return EXIT.ok
  },
}
