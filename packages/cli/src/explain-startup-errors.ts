import { StartupError } from '@countersign/server'
import { CliError } from './cli-error.ts'

/** Converts a StartupError of `work` to a CliError with the same texts. */
export async function explainStartupErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StartupError) throw new CliError(error.message, { hint: error.hint, cause: error })
    throw error
  }
}
