import { CountersignError } from '../countersign-error.ts'
import { runProgram } from '../credentials/runtime.ts'
import { parseTokenText } from './token-text.ts'

const TIMEOUT_MS = 60_000

/**
 * Returns the token that a command prints. The command is run directly, never by a shell: variables, pipes and the like in it are plain text.
 * Throws BAD_TOKEN when it fails.
 */
export async function runTokenCommand(command: string, source: string): Promise<string> {
  const [program, ...args] = splitCommand(command, source)
  if (program === undefined) throw failed(source, 'the command is empty')
  let output: string
  try {
    output = await runProgram(program, args, { timeoutMs: TIMEOUT_MS })
  } catch {
    // Neither the output nor the error, which contains it, is shown: it may contain a token.
    throw failed(source, `the command ${program} failed`)
  }
  return parseTokenText(output, source)
}

/** Splits a command at white space. Quotes, `'` and `"`, keep white space; nothing else is special. Throws BAD_TOKEN for an open quote. */
export function splitCommand(command: string, source: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (const character of command) {
    if (quote !== '') {
      if (character === quote) quote = ''
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quote !== '') throw failed(source, 'the command has a quote that is not closed')
  return word === undefined ? words : [...words, word]
}

function failed(source: string, message: string): CountersignError {
  return new CountersignError({
    code: 'BAD_TOKEN',
    message: `${source}: ${message}`,
    hint: 'run it separately to see why; it is started without a shell',
  })
}
