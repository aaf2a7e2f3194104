export function ensureConsole(options: { root: string; node: string }): Promise<void>
export function digestSources(root: string): string
export function measureFirstLoad(folder: string): number
