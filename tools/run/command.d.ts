export const COMMAND_SOURCE: string
export function ensureCommand(options: { root: string; node: string }): Promise<string>
