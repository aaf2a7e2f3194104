import { showSettings, showSettingsAsJson } from '@countersign/server/config'
import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { buildSettingFlags, loadCallSettings } from '../load-call-settings.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { printableJson } from '../printable.ts'

export const configShow: Command = {
  args: [],
  flags: [{ name: 'json', description: 'Print one line of JSON: value and origin by key' }, ...buildSettingFlags()],
  details: ['Secrets are hidden. The origin is flag, environment, file or default; the first with a value wins.'],
  examples: [
    { command: 'countersign config show --config countersign.yaml', description: 'Check a file before using it' },
    { command: 'COUNTERSIGN_PORT=8443 countersign config show --json', description: 'Show the effect of a variable' },
  ],
  run: async (call) => {
    const loaded = loadCallSettings(call)
    const shown = showSettingsAsJson(loaded)
    if (call.flags.json === true) call.terminal.out(printableJson(shown))
    else if (getFormat(call) === 'table') for (const line of showSettings(loaded)) call.terminal.out(line)
    else if (getFormat(call) === 'name') for (const key of Object.keys(shown)) call.terminal.out(key)
    else await printData(call, shown)
    return EXIT.ok
  },
}
