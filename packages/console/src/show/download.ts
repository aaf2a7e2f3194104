const MAX_NAME_LENGTH = 80

/**
 * A name that every file system takes as it is, from one that anybody may have chosen: letters of a to z, digits, dash and underscore, so
 * that no path, no quote and no letter that turns the direction of text is left.
 */
export function safeFileName(name: string, extension: string): string {
  const safe = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
  return `${safe || 'download'}.${extension}`
}

/** Lets the browser save a text. It never leaves the page otherwise. */
export function downloadText(fileName: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
