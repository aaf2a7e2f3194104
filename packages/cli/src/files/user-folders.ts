import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

type Environment = { readonly [name: string]: string | undefined }

/** Where the profiles lie: `$XDG_CONFIG_HOME/countersign`, else `~/.config/countersign`. */
export function findConfigFolder(env: Environment): string {
  return join(findBase(env, 'XDG_CONFIG_HOME', '.config'), 'countersign')
}

/** Where tokens are kept for a while: `$XDG_CACHE_HOME/countersign`, else `~/.cache/countersign`. */
export function findCacheFolder(env: Environment): string {
  return join(findBase(env, 'XDG_CACHE_HOME', '.cache'), 'countersign')
}

/** A relative path in a variable of XDG counts as none, as its specification says. */
function findBase(env: Environment, variable: string, otherwise: string): string {
  const named = env[variable]
  return named && isAbsolute(named) ? named : join(env.HOME || homedir(), otherwise)
}
