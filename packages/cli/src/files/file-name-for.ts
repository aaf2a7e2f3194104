/** The name of a file for an item, whose own name others may have chosen. */
export function fileNameFor(name: string, extension: string): string {
  return `${name.replace(/[^\w.@-]/g, '_')}.${extension}`
}
