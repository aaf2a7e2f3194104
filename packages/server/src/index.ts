/** The Countersign controller as a library: settings, start, backup and restore. */
export * from './platform/settings/index.ts'
export { StartupError } from './platform/startup-error.ts'
export { limitPoolThreads } from './platform/thread-pool.ts'
export { backupDataDir, restoreDataDir } from './process/backup.ts'
export { type ReadyReport, type RunningController, startController } from './process/start-controller.ts'
