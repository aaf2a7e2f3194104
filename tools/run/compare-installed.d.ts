export function compareInstalled(root: string, dev: boolean): 'fresh' | 'incomplete' | 'stale'
