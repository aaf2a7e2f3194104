import { EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { getAccessToken, HOSTED_FLAGS } from '../../hosted/with-hosted.ts'

/** `countersign token`: an access token of an API account, for curl. */
export const token: Command = {
  args: [],
  flags: HOSTED_FLAGS.filter(({ name }) => name !== 'output'),
  details: ['Tokens are kept until 80 % of their life is over, since providers count them.'],
  examples: [
    {
      command: 'countersign token --credentials credentials.json --hosted-url https://ctrl.example.com',
      says: 'use it as: curl -H "Authorization: Bearer $(countersign token …)"',
    },
  ],
  async run(call) {
    call.terminal.out(await getAccessToken(call))
    return EXIT.ok
  },
}
