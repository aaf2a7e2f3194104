const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text that stands in HTML or SVG as it is. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)
}

type Attributes = Readonly<Record<string, string | number>>

const write = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? round(value) : escapeMarkup(value)}"`)
    .join('')

const round = (value: number): number => Math.round(value * 10) / 10

/** An element with markup inside. */
export function element(name: string, attributes: Attributes, ...inside: readonly string[]): string {
  return `<${name}${write(attributes)}>${inside.join('')}</${name}>`
}

/** A piece of text at a point; how it looks is said by its class. */
export function label(text: string, x: number, y: number, className: string): string {
  return element('text', { x, y, class: className }, escapeMarkup(text))
}

export function line(x1: number, y1: number, x2: number, y2: number, className: string): string {
  return element('line', { x1, y1, x2, y2, class: className })
}
