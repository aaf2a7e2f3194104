import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { TokenSupplier } from '@countersign/sdk'
import { CliError, usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { loadTextArgument, loadTextFile } from '../files/load-text-file.ts'

/**
 * Where the second token of a login comes from, which some policies want on every call. What can be asked again is remembered
 * as that; only a token that cannot, from stdin or a browser, is remembered itself.
 */
export type SecondJwt = { readonly command: string } | { readonly file: string } | { readonly token: string }

const MAX_OUTPUT = 1_048_576

/** The flags that give a second token, to `login` and to every other command. */
export const SECOND_JWT_FLAGS: readonly Flag[] = [
  {
    name: 'second-jwt',
    value: 'FILE',
    description: 'Send the token in this file too, for a policy that wants a second',
  },
  { name: 'second-jwt-command', value: 'COMMAND', description: 'Send the token that this command prints too' },
]

/** A command may speak to the controller twice, and stdin is read once. */
const known = new WeakMap<Call, Promise<SecondJwt | undefined>>()

/** What the flags of a call say; undefined when they say nothing. Throws when they say two things. */
export function readSecondJwt(call: Call): Promise<SecondJwt | undefined> {
  const said = known.get(call) ?? readFlags(call)
  known.set(call, said)
  return said
}

async function readFlags(call: Call): Promise<SecondJwt | undefined> {
  const { 'second-jwt': file, 'second-jwt-command': command, 'second-signer': signer } = call.flags
  const given = [file, command, signer].filter((one) => one !== undefined)
  if (given.length > 1) throw usageError('there are two second tokens', 'give it one way')
  if (typeof command === 'string') return { command }
  if (file === '-') return { token: checkToken(await loadTextArgument(call, file)) }
  return typeof file === 'string' ? { file: resolve(file) } : undefined
}

/** Gives the second token whenever it is asked. */
export function supplySecondJwt(source: SecondJwt): TokenSupplier {
  if ('command' in source) return () => runTokenCommand(source.command, '--second-jwt-command')
  return () => ('file' in source ? checkToken(loadTextFile(source.file)) : source.token)
}

/** The token that a command prints. Throws when it fails; `flag` is what named it. */
export async function runTokenCommand(command: string, flag: string): Promise<string> {
  const run = promisify(execFile)
  try {
    return checkToken((await run('/bin/sh', ['-c', command], { maxBuffer: MAX_OUTPUT })).stdout)
  } catch (error) {
    if (error instanceof CliError) throw error
    // Its output may hold a token: neither that nor the error, which repeats it, is shown.
    throw new CliError(`the command of ${flag} failed`, { hint: 'run it by itself to see why' })
  }
}

/** A token without the line end that files and commands put behind it. Throws when there is none. */
export function checkToken(text: string): string {
  const token = text.trim()
  if (token !== '' && !/\s/.test(token)) return token
  throw usageError('there is no token', 'name what holds the token and nothing else')
}
