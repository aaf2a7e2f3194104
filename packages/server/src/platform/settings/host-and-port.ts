const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i

/** Whether the text is a host name: labels of letters, digits, hyphens and underscores. A numeric last label is refused as a mistyped IP address. */
export function isHostName(text: string): boolean {
  const labels = text.split('.')
  const last = labels.at(-1) ?? ''
  return text.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^[0-9]+$/.test(last)
}

/** The port, or undefined when the text is not an integer from 0 to 65535. */
export function parsePort(text: string): number | undefined {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port <= 65535 ? port : undefined
}
