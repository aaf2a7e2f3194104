import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { listFiles, root } from './paths.ts'

/**
 * Runs the modules of a folder one after the other, each in its own time: those whose name holds one of the words, or all.
 * A module does its work in its exported `run(args)`, or when it is imported. Sets the exit code when one throws.
 */
export async function runModules(folder: string, words: string[]): Promise<void> {
  const flags = words.filter((word) => word.startsWith('-'))
  const names = words.filter((word) => !word.startsWith('-'))
  const files = listFiles([`${folder}/*.ts`]).filter(
    (file) => !file.endsWith('.test.ts') && (names.length === 0 || names.some((name) => file.includes(name))),
  )
  if (files.length === 0) {
    console.error(`No module of ${folder}/ ${names.length ? `is called ${names.join(' or ')}` : 'is there yet'}.`)
    process.exitCode = 1
  }
  for (const file of files) {
    console.log(`\n# ${file}`)
    try {
      const module: { run?: (args: string[]) => unknown } = await import(pathToFileURL(join(root, file)).href)
      await module.run?.(flags)
    } catch (error) {
      console.error(error)
      process.exitCode = 1
    }
  }
}
