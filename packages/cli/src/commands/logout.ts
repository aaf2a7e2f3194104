import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { getProfile, removeProfile, saveProfile } from '../files/profiles.ts'
import { PROFILE_FLAG, QUIET_FLAG, VERBOSE_FLAG } from '../session/call-flags.ts'

/** `countersign logout`: end the session and forget it. */
export const logout: Command = {
  args: [],
  flags: [
    { name: 'forget', description: 'Forget the address and the trusted CA too' },
    PROFILE_FLAG,
    QUIET_FLAG,
    VERBOSE_FLAG,
  ],
  examples: [{ command: 'countersign logout --profile ci', says: 'end the session of the profile "ci"' }],
  async run(call) {
    const { name, profile } = getProfile(call)
    if (profile.session !== undefined) {
      const { openController } = await import('../session/with-controller.ts')
      const { isSdkError } = await import('../to-explained.ts')
      try {
        await (await openController(call)).client.logOut()
      } catch (error) {
        // One that has ended is as good as one that was ended; one that cannot be reached ends by itself.
        if (!isSdkError(error)) throw error
        if (error.status !== 401) call.terminal.note(`the session could not be ended there: ${error.message}`)
      }
    }
    const { session: _, identity: __, method: ___, credentials: ____, secondJwt: _____, ...rest } = profile
    if (call.flags.forget === true) removeProfile(call.env, name)
    else saveProfile(call.env, name, rest)
    call.terminal.out(`signed out of ${profile.url}`)
    return EXIT.ok
  },
}
