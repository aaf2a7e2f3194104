import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

type Environment = { readonly [name: string]: string | undefined }

/** The folder of the profiles: `$XDG_CONFIG_HOME/countersign`, else `~/.config/countersign`. */
export function findConfigFolder(env: Environment): string {
  return join(findBase(env, 'XDG_CONFIG_HOME', '.config'), 'countersign')
}

/** The folder of the token cache: `$XDG_CACHE_HOME/countersign`, else `~/.cache/countersign`. */
export function findCacheFolder(env: Environment): string {
  return join(findBase(env, 'XDG_CACHE_HOME', '.cache'), 'countersign')
}

/** Relative paths in XDG variables are ignored, as the specification demands. */
function findBase(env: Environment, variable: string, fallback: string): string {
  const named = env[variable]
  return named && isAbsolute(named) ? named : join(env.HOME || homedir(), fallback)
}
