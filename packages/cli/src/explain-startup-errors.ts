import { StartupError } from '@countersign/server'
import { CliError } from './cli-error.ts'

/** Waits for work of the server; what it has words for becomes a CliError with the same words. */
export async function explainStartupErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StartupError) throw new CliError(error.message, { hint: error.hint, cause: error })
    throw error
  }
}
