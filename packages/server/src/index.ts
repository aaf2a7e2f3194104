/** The Countersign controller as a library: its settings, and how to start, back up and restore one. */
export * from './platform/settings/index.ts'
export { StartupError } from './platform/startup-error.ts'
export { limitPoolThreads } from './platform/thread-pool.ts'
export { backupDataDir, restoreDataDir } from './process/backup.ts'
export { type ReadyReport, type RunningController, startController } from './process/start-controller.ts'
