import type { ImportEdge, ImportGraph } from './import-graph.ts'

/**
 * The layers of a folder, top to bottom. The entries of a layer are folders and files directly in that folder. An entry may
 * import itself and entries of lower layers, but not other entries of its layer.
 */
export type LayerTable = {
  folder: string
  layers: string[][]
  /** Entries that may import less than their layer allows, with all that they may import. */
  restricted?: Record<string, string[]>
  /** The file with the table, for messages. */
  file: string
}

/** Returns a message for each entry that is in no layer, and for each import that the layers do not allow. */
export function findLayerViolations({ files, edges }: ImportGraph, table: LayerTable): string[] {
  const entries = new Set(files.flatMap((file) => findEntry(table, file) ?? []))
  const unlisted = [...entries].filter((entry) => findLayer(table, entry) < 0)
  return [
    ...unlisted.map((entry) => `${table.folder}/${entry} is not in the table in ${table.file}: add it to a layer`),
    ...edges.flatMap((edge) => checkEdge(edge, table)),
  ]
}

function checkEdge({ from, to = '' }: ImportEdge, table: LayerTable): string[] {
  const [importer, imported] = [findEntry(table, from), findEntry(table, to)]
  if (importer === undefined || imported === undefined || importer === imported) return []
  const [importerLayer, importedLayer] = [findLayer(table, importer), findLayer(table, imported)]
  if (importerLayer < 0 || importedLayer < 0) return []
  const restricted = table.restricted?.[importer]
  if (restricted ? restricted.includes(imported) : importerLayer < importedLayer) return []
  const advice = restricted
    ? `it may import only ${restricted.join(', ')}`
    : `move the shared code below ${importerLayer === importedLayer ? 'both' : importer}`
  return [`${from}: ${importer} may not import ${imported}: ${advice} (table in ${table.file})`]
}

/** Returns the index of an entry's layer, from the top, or -1 if it is not in the table. */
export function findLayer({ layers }: LayerTable, entry: string): number {
  return layers.findIndex((layer) => layer.includes(entry))
}

/** Returns the entry of a file, or undefined outside the table's folder. */
export function findEntry({ folder }: LayerTable, file: string): string | undefined {
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined
}
