import { findHome, platform, readEnvironment } from './runtime.ts'

export const FILE_NAME = 'credentials.json'

type Environment = Readonly<Record<string, string | undefined>>

/** The default paths of the credentials file, in search order. */
export function listDefaultFiles(env: Environment = readEnvironment()): string[] {
  const home = findHome()
  const config = configFolder(env, home)
  const folders = [
    '.',
    config && `${config}/countersign`,
    home && `${home}/.netfoundry`,
    '/netfoundry',
    config && `${config}/netfoundry`,
  ]
  return folders.flatMap((folder) => (folder ? [`${folder}/${FILE_NAME}`] : []))
}

function configFolder(env: Environment, home: string | undefined): string | undefined {
  if (env.XDG_CONFIG_HOME) return env.XDG_CONFIG_HOME
  if (platform === 'win32') return env.LOCALAPPDATA
  if (home === undefined) return undefined
  return platform === 'darwin' ? `${home}/Library/Application Support` : `${home}/.config`
}
