export type Runtime = { platform: string; arch: string; version: string; execPath: string }
export function findNode(root: string, runtime?: Runtime): string
