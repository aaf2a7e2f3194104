/** The writer thread of the embedded database: runs the operations of the table, and nothing else. */
import { serveWrites } from '../store/sqlite/sqlite-writer.ts'
import { OPERATIONS } from './operations.ts'

serveWrites(OPERATIONS)
