export function withLock<T>(folder: string, what: string, work: () => Promise<T>): Promise<T>
