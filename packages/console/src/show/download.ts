const MAX_NAME_LENGTH = 80

/** Turns an untrusted name into a file name of ASCII letters, digits, dash and underscore: no path, quote or bidirectional character remains. */
export function safeFileName(name: string, extension: string): string {
  const safe = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
  return `${safe || 'download'}.${extension}`
}

/** Offers a text as download. It does not leave the browser. */
export function downloadText(fileName: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
