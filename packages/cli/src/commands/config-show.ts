import { showSettings, showSettingsAsJson } from '@countersign/server/config'
import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { buildSettingFlags, loadCallSettings } from '../load-call-settings.ts'
import { printableJson } from '../printable.ts'

export const configShow: Command = {
  args: [],
  flags: [{ name: 'json', description: 'Print one JSON object: value and origin by key' }, ...buildSettingFlags()],
  details: ['Secrets are hidden. The origin is flag, environment, file or default; the first with a value wins.'],
  examples: [
    { command: 'countersign config show --config countersign.yaml', description: 'Check a file before using it' },
    { command: 'COUNTERSIGN_PORT=8443 countersign config show --json', description: 'Show the effect of a variable' },
  ],
  run: async (call) => {
    const loaded = loadCallSettings(call)
    const lines = call.flags.json === true ? [printableJson(showSettingsAsJson(loaded))] : showSettings(loaded)
    for (const line of lines) call.terminal.out(line)
    return EXIT.ok
  },
}
