import type { AccountWithCredentials, HostedClient } from '@countersign/sdk'
import { EXIT } from '../../cli-error.ts'
import type { Call } from '../../command.ts'
import { fileNameFor } from '../../files/file-name-for.ts'
import { withSecretFiles } from '../../files/secret-files.ts'
import { withHosted } from '../../hosted/with-hosted.ts'
import { printChange } from '../../output/print-change.ts'

export const OUT_FLAG = {
  name: 'out',
  value: 'FILE',
  description: 'Write the credentials to this file [NAME.credentials.json]',
}

/** Runs `work`, which returns new credentials, and writes them to their file. */
export async function writeCredentials(
  call: Call,
  done: string,
  { replace }: { readonly replace: boolean },
  work: (client: HostedClient) => Promise<AccountWithCredentials | undefined>,
): Promise<number> {
  const out = getOutPath(call)
  const account = await withSecretFiles(call, { paths: [out], replace }, async (save) => {
    const account = await withHosted(call, work)
    if (account?.credentials) save(`${JSON.stringify(account.credentials, null, 2)}\n`)
    return account
  })
  if (!account) {
    // A job that leaves no account behind, such as the removal of a client.
    await printChange(call, { action: 'repeated', kind: 'job', item: { id: call.args[0] ?? '' } })
    return EXIT.ok
  }
  await printChange(call, {
    action: done,
    kind: 'account',
    item: account,
    ...(account.credentials && { members: { credentialsFile: out }, ending: `; its credentials are in ${out}` }),
  })
  return EXIT.ok
}

function getOutPath({ flags, args: [name = ''] }: Call): string {
  return typeof flags.out === 'string' ? flags.out : fileNameFor(name, 'credentials.json')
}
