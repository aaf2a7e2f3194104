export function ensureConsole(options: { root: string; node: string }): Promise<void>
export function measureFirstLoad(folder: string): number
