import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runProgram } from '../check/run-program.ts'
import { listFiles, root } from '../paths.ts'
import { loadManifest, type PublishedPackage, publishedPackages } from './published-packages.ts'

/** Builds `build/<folder>`: JavaScript and declarations in dist, other files unchanged, and the published package.json. */
export async function emitPackage({ folder, engines }: PublishedPackage, output: string): Promise<void> {
  const source = join(root, 'packages', folder)
  const target = join(output, folder)
  const manifest = loadManifest(folder)
  for (const entry of Object.values(manifest.exports)) {
    if (!existsSync(join(source, entry))) throw new Error(`packages/${folder} has no ${entry}`)
  }
  rmSync(target, { recursive: true, force: true })
  mkdirSync(join(target, 'dist'), { recursive: true })
  await compile(folder, output)
  if (folder === 'sdk') inlineContract(target, join(output, 'contract'))
  for (const file of listFiles(['dist/**/*.js', 'dist/**/*.d.ts'], target)) rewriteFile(join(target, file))
  for (const file of listFiles(['**/*'], join(source, 'src'))) {
    if (!file.endsWith('.ts')) copy(join(source, 'src', file), join(target, 'dist', file))
  }
  if (folder === 'server') copy(join(root, 'packages/console/dist'), join(target, 'dist/http/console/app'))
  if (existsSync(join(source, 'bin'))) copy(join(source, 'bin'), join(target, 'bin'))
  for (const file of ['README.md', 'LICENSE']) {
    const own = [join(source, file), join(root, file)].find((path) => existsSync(path))
    if (own) copy(own, join(target, file))
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(buildManifest(manifest, engines), null, 2)}\n`)
}

async function compile(folder: string, output: string): Promise<void> {
  const source = join(root, 'packages', folder, 'src')
  const project = join(output, `${folder}.tsconfig.json`)
  // Sibling packages are resolved to their build, because their sources are outside rootDir.
  const paths = Object.fromEntries(
    publishedPackages.flatMap((one) => {
      const { name, exports } = loadManifest(one.folder)
      return Object.entries(exports).map(([entry, file]) => {
        const built = file.replace('./src/', 'dist/').replace(/\.ts$/, '.d.ts')
        return [join(name, entry), [join(output, one.folder, built)]]
      })
    }),
  )
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rootDir: source,
      outDir: join(output, folder, 'dist'),
      // The output may be outside the workspace.
      typeRoots: [join(root, 'node_modules/@types')],
      paths,
    },
    include: [join(source, '**/*.ts')],
    exclude: [join(source, '**/*.test.ts'), join(source, '**/*.fixture.ts')],
  }
  writeFileSync(project, JSON.stringify(settings, null, 2))
  const { code, output: messages } = await runProgram('typescript/bin/tsc', ['-p', project, '--pretty', 'false'], root)
  rmSync(project)
  // A package may import its package.json, which is next to dist as it is next to src.
  const errors = messages.split('\n').filter((line) => line.includes('error TS') && !isOwnManifest(line, folder))
  if (errors.length > 0) throw new Error(errors.join('\n'))
  if (code !== 0 && !messages.includes('TS6059')) throw new Error(messages)
}

/**
 * Copies the contract modules that the SDK imports into the SDK, which has no dependencies. Only modules without imports can be
 * copied.
 */
export function inlineContract(target: string, contract: string): void {
  const { exports } = JSON.parse(readFileSync(join(contract, 'package.json'), 'utf8'))
  for (const file of listFiles(['dist/**/*.js', 'dist/**/*.d.ts'], target)) {
    const path = join(target, file)
    const text = readFileSync(path, 'utf8')
    const rewritten = text.replaceAll(
      /(['"])@countersign\/contract\/([a-z-]+)\1/g,
      (_, quote: string, name: string) => {
        for (const built of Object.values<string>(exports[`./${name}`])) {
          copy(
            join(contract, built),
            join(target, 'dist/contract', `${name}${built.endsWith('.d.ts') ? '.d.ts' : '.js'}`),
          )
        }
        const depth = file.split('/').length - 2
        return `${quote}${depth === 0 ? './' : '../'.repeat(depth)}contract/${name}.js${quote}`
      },
    )
    if (rewritten !== text) writeFileSync(path, rewritten)
  }
}

function isOwnManifest(line: string, folder: string): boolean {
  return line.includes('TS6059') && line.includes(`packages/${folder}/package.json`)
}

function rewriteFile(path: string): void {
  writeFileSync(path, rewriteExtensions(readFileSync(path, 'utf8')))
}

/**
 * Rewrites the `.ts` extensions that tsc keeps: in `new URL('./thread.ts', import.meta.url)`, and in relative imports of
 * declarations.
 */
export function rewriteExtensions(text: string): string {
  return text
    .replaceAll(/(new URL\(\s*)(['"])(\.{1,2}\/[^'"\n]+)\.ts\2/g, '$1$2$3.js$2')
    .replaceAll(/((?:from|import)\s*\(?\s*)(['"])(\.{1,2}\/[^'"\n]+)\.ts\2/g, '$1$2$3.js$2')
}

/** Builds the published package.json: entry points in dist with their types, without development settings. */
export function buildManifest(manifest: ReturnType<typeof loadManifest>, engines: string): object {
  const { name, version, description, license, bin, dependencies, optionalDependencies } = manifest
  const entries = Object.entries(manifest.exports).map(([path, file]) => {
    const built = file.replace('./src/', './dist/').replace(/\.ts$/, '')
    return [path, { types: `${built}.d.ts`, default: `${built}.js` }]
  })
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    ...(bin ? { bin } : {}),
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    files: bin ? ['dist', 'bin'] : ['dist'],
    engines: { node: engines },
    sideEffects: false,
    ...(dependencies ? { dependencies } : {}),
    ...(optionalDependencies ? { optionalDependencies } : {}),
  }
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true })
}
