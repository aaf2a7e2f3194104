/** The Countersign controller as a library: settings, start, backup, restore and recovery. */
export * from './platform/settings/index.ts'
export { StartupError } from './platform/startup-error.ts'
export { limitPoolThreads } from './platform/thread-pool.ts'
export { backupDataDir, restoreDataDir } from './process/backup.ts'
export { BACKUP_FILES, type BackupFinding, checkPostgresBackup } from './process/check-backup.ts'
export { type RecoveredLogin, recoverAdmin } from './process/recover-admin.ts'
export { type ReadyReport, type RunningController, startController } from './process/start-controller.ts'
