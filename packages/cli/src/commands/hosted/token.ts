import { EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { getAccessToken, HOSTED_FLAGS } from '../../hosted/with-hosted.ts'

/** `countersign token`: print an access token of an API account, for curl. */
export const token: Command = {
  args: [],
  flags: HOSTED_FLAGS.filter(({ name }) => name !== 'output'),
  details: ['Tokens are cached for 80 % of their lifetime, since providers meter them.'],
  examples: [
    {
      command: 'countersign token --credentials credentials.json --hosted-url https://ctrl.example.com',
      description: 'use it as: curl -H "Authorization: Bearer $(countersign token …)"',
    },
  ],
  async run(call) {
    call.terminal.out(await getAccessToken(call))
    return EXIT.ok
  },
}
