/** The entry file of the embedded database's writer thread. It runs the operations of the table and no others. */
import { serveWrites } from '../store/sqlite/sqlite-writer.ts'
import { OPERATIONS } from './operations.ts'

serveWrites(OPERATIONS)
