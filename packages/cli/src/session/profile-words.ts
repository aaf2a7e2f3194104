/** The command line for the profile of this name; without a flag it would be for the default one. */
export function forProfile(command: string, profileName: string): string {
  return profileName === 'default' ? command : `${command} --profile ${profileName}`
}
