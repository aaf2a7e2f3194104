import type { AccountWithCredentials, HostedClient } from '@countersign/sdk'
import { EXIT } from '../../cli-error.ts'
import type { Call } from '../../command.ts'
import { withSecretFiles } from '../../files/secret-files.ts'
import { withHosted } from '../../hosted/with-hosted.ts'
import { getFormat, printData } from '../../output/print-result.ts'

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
  const format = getFormat(call)
  const out = getOutPath(call)
  const account = await withSecretFiles(call, { paths: [out], replace }, async (save) => {
    const account = await withHosted(call, work)
    if (account?.credentials) save(`${JSON.stringify(account.credentials, null, 2)}\n`)
    return account
  })
  if (!account) {
    call.terminal.out('done')
    return EXIT.ok
  }
  const { id, name, credentials } = account
  if (format !== 'table') await printData(call, { id, name, ...(credentials && { credentialsFile: out }) })
  else call.terminal.out(`${done} account ${name} (${id})${credentials ? `; its credentials are in ${out}` : ''}`)
  return EXIT.ok
}

function getOutPath({ flags, args: [name = ''] }: Call): string {
  return typeof flags.out === 'string' ? flags.out : `${name.replace(/[^\w.@-]/g, '_')}.credentials.json`
}
