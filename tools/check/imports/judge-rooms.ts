import type { ImportEdge, ImportGraph } from './import-graph.ts'

/**
 * The rooms of a folder: the folders and loose files directly in it, in levels from left to right. A room imports itself and
 * rooms of the levels to its right; rooms of one level do not import each other.
 */
export type RoomTable = {
  folder: string
  levels: string[][]
  /** Rooms that may import less than their level allows. */
  narrowed?: Record<string, string[]>
  /** The file that holds the table, for messages. */
  file: string
}

/** Finds rooms that have no level, and imports that a level does not allow. */
export function judgeRooms({ files, edges }: ImportGraph, table: RoomTable): string[] {
  const rooms = new Set(files.flatMap((file) => findRoom(table, file) ?? []))
  const strangers = [...rooms].filter((room) => findLevel(table, room) < 0)
  return [
    ...strangers.map((room) => `${table.folder}/${room} is not in the table in ${table.file}: give it a level there`),
    ...edges.flatMap((edge) => judgeEdge(edge, table)),
  ]
}

function judgeEdge({ from, to = '' }: ImportEdge, table: RoomTable): string[] {
  const [home, other] = [findRoom(table, from), findRoom(table, to)]
  if (home === undefined || other === undefined || home === other) return []
  const [left, right] = [findLevel(table, home), findLevel(table, other)]
  if (left < 0 || right < 0) return []
  const narrowed = table.narrowed?.[home]
  if (narrowed ? narrowed.includes(other) : left < right) return []
  const advice = narrowed
    ? `it imports ${narrowed.join(', ')} alone`
    : `move what it needs to the right of ${left === right ? 'both' : home}`
  return [`${from}: ${home} may not import ${other}: ${advice} (table in ${table.file})`]
}

/** How far to the right a room is; negative for one that is not in the table. */
export function findLevel({ levels }: RoomTable, room: string): number {
  return levels.findIndex((level) => level.includes(room))
}

/** The room of a file, or undefined outside the table's folder. */
export function findRoom({ folder }: RoomTable, file: string): string | undefined {
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined
}
