import { EXIT, usageError } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { SHELLS } from '../completion/complete-word.ts'
import { askDidYouMean, suggest } from '../suggest.ts'

/** `countersign completion SHELL`: print a script that completes commands, flags, values and names. */
export const completion: Command = {
  args: ['SHELL'],
  flags: [],
  // A script is no table, and no JSON either.
  hasOutput: false,
  details: [
    `SHELL is ${SHELLS.join(', ')}. Load the script in the shell's start file:`,
    '  bash   echo \'eval "$(countersign completion bash)"\' >> ~/.bashrc',
    '  zsh    echo \'eval "$(countersign completion zsh)"\' >> ~/.zshrc    (after compinit)',
    '  fish   countersign completion fish > ~/.config/fish/completions/countersign.fish',
    'Names of signers, identities and other items are those that the login of the profile sees.',
  ],
  examples: [
    { command: 'countersign completion bash', description: 'print the script for bash' },
    { command: 'countersign completion fish', description: 'print the script for fish' },
  ],
  async run({ args: [given = ''], terminal }) {
    const shell = SHELLS.find((name) => name === given)
    if (!shell) {
      const hint = askDidYouMean(suggest(given, SHELLS)) ?? `write ${SHELLS.join(', or ')}`
      throw usageError(`there is no completion for "${given}"`, hint)
    }
    const { COMPLETION_SCRIPTS } = await import('../completion/scripts.ts')
    for (const line of COMPLETION_SCRIPTS[shell].split('\n')) terminal.out(line)
    return EXIT.ok
  },
}
