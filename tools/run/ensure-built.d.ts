export function ensureBuilt(options: {
  root: string
  what: string
  sources: string[]
  output: string
  build: (folder: string) => Promise<void>
}): Promise<void>
export function digestSources(root: string, sources: string[]): string
