import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { findProfile, getProfile, getProfileName } from '../files/profiles.ts'
import { printObject } from '../output/print-result.ts'
import { CALL_FLAGS } from '../session/call-flags.ts'
import { findManager } from '../session/open-controller.ts'
import { withController } from '../session/with-controller.ts'

/** `countersign whoami`: show who is logged in, where and until when. */
export const whoami: Command = {
  args: [],
  flags: CALL_FLAGS,
  examples: [{ command: 'countersign whoami -o json', description: 'show who is logged in, as JSON' }],
  async run(call) {
    const caller = await findManager(call)
    if (!('session' in caller) && !('tried' in caller)) {
      const { withHosted } = await import('../hosted/with-hosted.ts')
      const { url, self } = await withHosted(call, async (client, about) => ({
        ...about,
        self: await client.self(),
      }))
      const { organizationId, role, type } = self
      const who = { name: self.name, id: self.id, type, role, organizationId }
      const signedInBy = 'credentials' in caller ? caller.credentials.source : caller.source
      const profile = findProfile(call.env, getProfileName(call)) ? getProfileName(call) : undefined
      await printObject(call, { ...(profile !== undefined && { profile }), hostedApi: url, ...who, signedInBy })
      return EXIT.ok
    }
    const current = await withController(call, async (client, { url, method }) => {
      const [session, identity] = await Promise.all([client.currentSession(), client.currentIdentity()])
      return { url, method, session, identity }
    })
    const { name } = getProfile(call)
    const { identity, session } = current
    await printObject(call, {
      profile: name,
      controller: current.url,
      name: identity.name,
      id: identity.id,
      isAdmin: identity.isAdmin,
      permissions: identity.permissions,
      signedInBy: current.method,
      sessionEnds: session.expiresAt,
    })
    return EXIT.ok
  },
}
