import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Call } from '../command.ts'

/** Reads secrets line by line from stdin when the flag is set, otherwise from a prompt. */
export class SecretLines {
  readonly #call: Pick<Call, 'flags' | 'input'>
  #rest: string[] | undefined

  constructor(call: Pick<Call, 'flags' | 'input'>) {
    this.#call = call
  }

  async next(flag: string, question: string): Promise<string> {
    const { flags, input } = this.#call
    if (flags[flag] === true) return this.#nextLine(flag)
    if (input.isInteractive) return input.ask(question, { secret: true })
    const name = question.replace(/:.*$/, '').toLowerCase()
    throw new CliError(`${name} is needed, and there is no terminal to ask on`, {
      hint: `send it on stdin with --${flag}`,
      exitCode: EXIT.usage,
    })
  }

  async #nextLine(flag: string): Promise<string> {
    this.#rest ??= (await this.#call.input.readAll()).split('\n')
    const line = this.#rest.shift()?.replace(/\r$/, '')
    if (line) return line
    throw usageError(`--${flag}: there is nothing on stdin`, 'send it on a line of its own')
  }
}
