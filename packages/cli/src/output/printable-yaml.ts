import { escapeUnprintable, hasUnprintable } from '../printable.ts'

/** The lines of a value as YAML, with unprintable characters escaped, so that they are lossless and safe to print. */
export async function printableYamlLines(value: unknown): Promise<string[]> {
  const { Document, visit } = await import('yaml')
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_key, node) {
      // Only double quotes allow escapes.
      if (typeof node.value === 'string' && hasUnprintable(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString().trimEnd().split('\n').map(escapeUnprintable)
}
