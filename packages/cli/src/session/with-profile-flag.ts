/** Adds `--profile` to a command line, unless the profile is the default. */
export function withProfileFlag(command: string, profileName: string): string {
  return profileName === 'default' ? command : `${command} --profile ${profileName}`
}
