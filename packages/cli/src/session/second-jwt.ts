import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { TokenSupplier } from '@countersign/sdk'
import { CliError, usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { loadTextArgument, loadTextFile } from '../files/load-text-file.ts'

/**
 * The source of the second token, which some policies require on every call. A file or command is stored as such; a token from stdin or a
 * browser, which cannot be requested again, is stored itself.
 */
export type SecondJwt = { readonly command: string } | { readonly file: string } | { readonly token: string }

const MAX_OUTPUT = 1_048_576

/** The flags for the second token, on `login` and on all other commands. */
export const SECOND_JWT_FLAGS: readonly Flag[] = [
  {
    name: 'second-jwt',
    value: 'FILE',
    description: 'Also send the token in this file, when the policy requires a second one',
  },
  { name: 'second-jwt-command', value: 'COMMAND', description: 'Also send the token that this command prints' },
]

/** A command can call the controller twice, but stdin can be read only once. */
const readBefore = new WeakMap<Call, Promise<SecondJwt | undefined>>()

/** The second token of the flags; undefined when they name none. Throws when they name several. */
export function readSecondJwt(call: Call): Promise<SecondJwt | undefined> {
  const source = readBefore.get(call) ?? readFlags(call)
  readBefore.set(call, source)
  return source
}

async function readFlags(call: Call): Promise<SecondJwt | undefined> {
  const { 'second-jwt': file, 'second-jwt-command': command, 'second-signer': signer } = call.flags
  const given = [file, command, signer].filter((flag) => flag !== undefined)
  if (given.length > 1) throw usageError('several flags name the second token', 'use one of them')
  if (typeof command === 'string') return { command }
  if (file === '-') return { token: checkToken(await loadTextArgument(call, file)) }
  return typeof file === 'string' ? { file: resolve(file) } : undefined
}

/** Returns a supplier that reads the file or runs the command on each call. */
export function supplySecondJwt(source: SecondJwt): TokenSupplier {
  if ('command' in source) return () => runTokenCommand(source.command, '--second-jwt-command')
  return () => ('file' in source ? checkToken(loadTextFile(source.file)) : source.token)
}

/** The token that a command prints. Throws when it fails; `flag` names it in the error. */
export async function runTokenCommand(command: string, flag: string): Promise<string> {
  const run = promisify(execFile)
  try {
    return checkToken((await run('/bin/sh', ['-c', command], { maxBuffer: MAX_OUTPUT })).stdout)
  } catch (error) {
    if (error instanceof CliError) throw error
    // Neither the output nor the error, which contains it, is shown: it may contain a token.
    throw new CliError(`the command of ${flag} failed`, { hint: 'run it separately to see why' })
  }
}

/** Trims a token. Throws when it is empty or contains white space. */
export function checkToken(text: string): string {
  const token = text.trim()
  if (token !== '' && !/\s/.test(token)) return token
  throw usageError('there is no token', 'the file or output must contain the token and nothing else')
}
