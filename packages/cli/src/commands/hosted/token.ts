import { EXIT } from '../../cli-error.ts'
import type { Command } from '../../command.ts'
import { getAccessToken, HOSTED_FLAGS } from '../../hosted/with-hosted.ts'
import { printText } from '../../output/print-result.ts'

/** `countersign token`: print an access token of an API account, for curl. */
export const token: Command = {
  args: [],
  flags: [
    ...HOSTED_FLAGS,
    {
      name: 'trade',
      description: 'Trade the token of a federated account for one of the hosted API, which lives longer',
    },
  ],
  details: [
    'Tokens of credentials files are cached for 80 % of their lifetime, since providers meter them.',
    '--trade is for jobs that outlive the token of their CI system.',
  ],
  examples: [
    {
      command: 'countersign token --credentials credentials.json --hosted-url https://ctrl.example.com',
      description: 'use it as: curl -H "Authorization: Bearer $(countersign token …)"',
    },
    {
      command: 'countersign token --trade --token-audience urn:acme',
      description: 'in a long CI job, for the commands that follow: export COUNTERSIGN_API_TOKEN="$(…)"',
    },
  ],
  async run(call) {
    await printText(call, 'token', await getAccessToken(call))
    return EXIT.ok
  },
}
