/** The Countersign controller as a library: its settings, and how to start, back up and restore one. */
export * from './config/index.ts'
export { type ReadyReport, type RunningController, startController } from './start-controller.ts'
export { StartupError } from './startup-error.ts'
export { backupDataDir, restoreDataDir } from './store/sqlite/backup.ts'
export { limitPoolThreads } from './thread-pool.ts'
