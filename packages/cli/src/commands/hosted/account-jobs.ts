import type { AccountJob } from '@countersign/sdk'
import { EXIT } from '../../cli-error.ts'
import { collect } from '../../collect.ts'
import type { Command } from '../../command.ts'
import { selectItems } from '../../hosted/select-items.ts'
import { HOSTED_FLAGS, withHosted } from '../../hosted/with-hosted.ts'
import { printChange } from '../../output/print-change.ts'
import { printList } from '../../output/print-result.ts'
import { printableLine } from '../../printable.ts'
import { LIST_FLAGS, readListOptions } from '../../resources/list-options.ts'
import { YES_FLAG } from '../../session/call-flags.ts'
import { confirm } from '../../session/confirm.ts'
import { OUT_FLAG, writeCredentials } from './write-credentials.ts'

const list: Command = {
  args: [],
  flags: [...HOSTED_FLAGS, ...LIST_FLAGS],
  examples: [{ command: 'countersign account-jobs list', description: 'what is left to do at identity providers' }],
  async run(call) {
    const options = readListOptions(call)
    const found = await withHosted(call, ({ accountJobs }) => collect(accountJobs.list()))
    await printList(call, selectItems(found, options), [
      { title: 'ACCOUNT', get: (job: AccountJob) => job.accountName },
      { title: 'KIND', get: ({ kind }) => kind },
      { title: 'STATE', get: ({ state }) => state },
      { title: 'NEXT ATTEMPT', get: ({ nextAttemptAt }) => nextAttemptAt },
      { title: 'ERROR', get: ({ error }) => error },
      { title: 'ID', get: ({ id }) => id, isWhole: true },
    ])
    return EXIT.ok
  },
}

const repeat: Command = {
  args: ['ID'],
  flags: [...HOSTED_FLAGS, OUT_FLAG],
  details: ['New credentials are written to a file that only you can read.'],
  examples: [
    {
      command: 'countersign account-jobs repeat 4f0c… --out credentials.json',
      description: 'create an account whose provider had failed',
    },
  ],
  run: (call) =>
    writeCredentials(call, 'repeated the job of', { replace: true }, async ({ accountJobs }) =>
      accountJobs.repeat(call.args[0] ?? ''),
    ),
}

const dismiss: Command = {
  args: ['ID'],
  flags: [...HOSTED_FLAGS, YES_FLAG],
  examples: [{ command: 'countersign account-jobs dismiss 4f0c… --yes', description: 'without asking' }],
  async run(call) {
    const [id = ''] = call.args
    const { item, version } = await withHosted(call, ({ accountJobs }) => accountJobs.getVersioned(id))
    const what = `Forget the job ${id} (${item.kind}, ${item.state}) of the account "${printableLine(item.accountName)}"?`
    await confirm(call, `${what} What it would have removed at the provider stays there.`)
    await withHosted(call, ({ accountJobs }) => accountJobs.dismiss(id, { ifMatch: version }))
    await printChange(call, { action: 'dismissed', kind: 'job', item: { id } })
    return EXIT.ok
  },
}

/** `countersign account-jobs …` */
export const accountJobs = { list, repeat, dismiss }
